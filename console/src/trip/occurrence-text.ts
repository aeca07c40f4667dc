import { peakText, titleOf } from '../incidents/incident-line.ts'
import { formatDuration, formatQuantity } from '../language/format.ts'
import type { Language, Texts } from '../language/language.ts'
import type { Occurrence } from './occurrences.ts'

export function occurrenceText(occurrence: Occurrence, texts: Texts<'trip'>, language: Language): string {
  switch (occurrence.kind) {
    case 'happening': {
      const quantity = formatQuantity(occurrence.value, occurrence.unit, language)
      return `${texts.happenings[occurrence.eventType]} (${quantity})`
    }
    case 'switch':
      return texts.switches[occurrence.eventType][occurrence.isOn ? 'on' : 'off']
    case 'incident':
      return [titleOf(occurrence.incident), peakText(occurrence.incident, language)].filter(Boolean).join(', ')
    case 'stop':
      return texts.stopped(formatDuration(occurrence.lengthMs / 1000))
    case 'codes':
      return texts.codes(occurrence.codes.join(', '))
  }
}
