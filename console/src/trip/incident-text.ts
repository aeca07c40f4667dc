import { formatQuantity } from '../language/format.ts'
import type { Language } from '../language/language.ts'
import type { Incident, Severity } from './incidents.ts'
import type { TripTexts } from './texts.ts'

export function incidentText(incident: Incident, texts: TripTexts, language: Language): string {
  switch (incident.kind) {
    case 'happening': {
      const quantity = formatQuantity(incident.value, incident.unit, language)
      return `${texts.happenings[incident.eventType]} (${quantity})`
    }
    case 'switch':
      return texts.switches[incident.eventType][incident.isOn ? 'on' : 'off']
    case 'codes':
      return texts.codes(incident.codes.join(', '))
  }
}

/** Of marks on map and slider; the text beside them says what happened. */
export const SEVERITY_COLORS: Readonly<Record<Severity, string>> = {
  plain: '#5c6b77',
  notable: '#e8890c',
  bad: '#c92a2a',
}
