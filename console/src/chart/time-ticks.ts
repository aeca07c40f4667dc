import { type Language, localeOf } from '../language/language.ts'

/** The text under a tick of a time axis: the day where it begins, else the time, with seconds only where they differ. */
export function timeTick(second: number, before: number | undefined, language: Language): string {
  const time = new Date(second * 1000)
  const isDay = time.getHours() === 0 && time.getMinutes() === 0 && time.getSeconds() === 0
  if (isDay) return time.toLocaleDateString(localeOf(language), { day: 'numeric', month: 'short' })
  const isFine = second % 60 !== 0 || (before !== undefined && second - before < 60)
  return time.toLocaleTimeString(localeOf(language), {
    hour: '2-digit',
    minute: '2-digit',
    ...(isFine ? { second: '2-digit' } : {}),
  })
}
