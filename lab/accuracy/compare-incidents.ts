import type { TrueIncident } from './true-incident.ts'

/** An incident that a rule found; without an end it goes on. */
interface FoundIncident {
  readonly kind: string
  readonly startMs: number
  readonly endMs: number | null
}

/** What happened to one device against what was found, of one kind. */
export interface IncidentComparison<Found extends FoundIncident = FoundIncident> {
  /** Those that the records show clearly, and how many of them were found. */
  readonly sure: number
  readonly matched: number
  /** All that were found, and how many of them happened. */
  readonly found: number
  readonly right: number
  readonly missed: readonly TrueIncident[]
  readonly invented: readonly Found[]
}

/** Both ends of what was found may be off by this much, or by one interval if that is longer. */
const TOLERANCE_MS = 60_000

/**
 * Found is what overlaps what happened, nearly at least; what the records do not show clearly need not be found, and may be.
 * @param everyMs from one record of the device to the next
 */
export function compareIncidents<Found extends FoundIncident>(
  kind: string,
  truth: readonly TrueIncident[],
  found: readonly Found[],
  everyMs: number,
): IncidentComparison<Found> {
  const slackMs = Math.max(TOLERANCE_MS, everyMs)
  const ofTruth = truth.filter(each => each.kind === kind)
  const ofFound = found.filter(each => each.kind === kind)
  const sure = ofTruth.filter(({ isSure }) => isSure)
  const missed = sure.filter(each => !ofFound.some(item => overlaps(each, item, slackMs)))
  const invented = ofFound.filter(item => !ofTruth.some(each => overlaps(each, item, slackMs)))
  return {
    sure: sure.length,
    matched: sure.length - missed.length,
    found: ofFound.length,
    right: ofFound.length - invented.length,
    missed,
    invented,
  }
}

function overlaps(truth: TrueIncident, { startMs, endMs }: FoundIncident, slackMs: number): boolean {
  return startMs <= truth.toMs + slackMs && (endMs ?? Number.POSITIVE_INFINITY) >= truth.fromMs - slackMs
}
