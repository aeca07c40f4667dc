import type { Device, LastEvent } from '../api/types.ts'

/** A parked car's dongle sleeps and wakes up now and then; after this long without a word something is wrong. */
export const SILENT_AFTER_MS = 48 * 3_600_000

/** As long as the service counts a dongle as online (decisions.md, `isOnline`). */
const ONLINE_MS = 5 * 60_000

/**
 * In a trip, values come at least every 300 s. Three missing ones are a silence; and what is older says nothing of now,
 * also when it has come just now.
 */
const LATE_MS = 15 * 60_000

/** Whether a dongle reports, and when it measured last as far as this person knows. */
export type Contact =
  | { readonly kind: 'online'; readonly heardMs: number | undefined }
  /** It is connected and sends what it measured long ago: it was out of reach, and uploads its memory. */
  | { readonly kind: 'catchingUp'; readonly heardMs: number }
  /** It said nothing for a while, which is usual while a car is parked. */
  | { readonly kind: 'asleep'; readonly heardMs: number }
  /** It has been missing for two days, or went missing in the middle of a trip. */
  | { readonly kind: 'silent'; readonly heardMs: number }
  | { readonly kind: 'never' }
  /** What it measured is not known to this person, so neither is whether it sleeps. */
  | { readonly kind: 'offline'; readonly because: 'awaited' | 'forbidden' }
  | { readonly kind: 'unknown'; readonly because: 'awaited' | 'forbidden' }

/** Whether a dongle is in its socket. A dongle that is not online and never said so may be in it, or not. */
export type Plug = 'in' | 'out' | 'unknown'

export interface DongleState {
  readonly contact: Contact
  readonly plug: Plug
}

interface DongleFacts {
  /** What the service says of it; an unknown one is undefined, as while it is new. */
  readonly device: Learned<Device | undefined>
  /** The latest values that this very dongle measured. */
  readonly events: Learned<readonly LastEvent[]>
  readonly isInTrip: boolean
  readonly nowMs: number
}

/** Set by people in the settings, independent of the dongle. */
const SETTING = 'ALARM_SYSTEM'

/** When the newest of these values was measured; settings aside. */
export function newestMsOf(events: readonly LastEvent[]): number | undefined {
  let newestMs: number | undefined
  for (const { eventType, recordedTimestamp } of events) {
    if (eventType === SETTING) continue
    const measuredMs = Date.parse(recordedTimestamp)
    if (newestMs === undefined || measuredMs > newestMs) newestMs = measuredMs
  }
  return newestMs
}

/** Whether what was measured then says something of now. */
export function isOfNow(measuredMs: number, nowMs: number): boolean {
  return nowMs - measuredMs <= LATE_MS
}

/** Whether a dongle sends at the moment, be it values of now or of long ago. */
export function isConnected(contact: Contact): boolean {
  return contact.kind === 'online' || contact.kind === 'catchingUp'
}

/** What state a dongle is in. Every page that speaks of one says what this says. */
export function dongleStateOf(facts: DongleFacts): DongleState {
  const contact = contactOf(facts)
  return { contact, plug: plugOf(facts, contact) }
}

function contactOf({ device, events, isInTrip, nowMs }: DongleFacts): Contact {
  const told = known(device)
  const heardMs = newestMsOf(known(events) ?? [])
  if (told?.isOnline && heardMs !== undefined && !isOfNow(heardMs, nowMs)) return { kind: 'catchingUp', heardMs }
  if (told?.isOnline || (heardMs !== undefined && nowMs - heardMs < ONLINE_MS)) return { kind: 'online', heardMs }
  if (events.is !== 'known') {
    if (told) return { kind: 'offline', because: events.is }
    return { kind: 'unknown', because: device.is === 'known' ? events.is : device.is }
  }
  if (heardMs === undefined) return { kind: 'never' }
  const ageMs = nowMs - heardMs
  if (!isInTrip) return { kind: ageMs > SILENT_AFTER_MS ? 'silent' : 'asleep', heardMs }
  if (told || !isOfNow(heardMs, nowMs)) return { kind: 'silent', heardMs }
  return { kind: 'online', heardMs }
}

function plugOf({ device, events }: DongleFacts, contact: Contact): Plug {
  const said = known(events)?.find(({ eventType }) => eventType === 'IS_DONGLE_PLUGGED_IN')?.value
  if (said === true) return 'in'
  if (said === false) return 'out'
  // The service takes a dongle that never said so for plugged in exactly as long as it is online.
  const told = known(device)
  if (told?.isPluggedIn || isConnected(contact)) return told?.isOnline && !told.isPluggedIn ? 'out' : 'in'
  return 'unknown'
}

/**
 * A part of the facts: it may still be on its way, or the person may not see it. Neither is the same as that there is
 * nothing.
 */
export type Learned<T> =
  | { readonly is: 'known'; readonly value: T }
  | { readonly is: 'awaited' }
  | { readonly is: 'forbidden' }

export const AWAITED = { is: 'awaited' } as const satisfies Learned<never>
export const FORBIDDEN = { is: 'forbidden' } as const satisfies Learned<never>

/**
 * @param isAllowed undefined while it is not known yet
 * @param value undefined while it is on its way
 */
export function learned<T>(isAllowed: boolean | undefined, value: T | undefined): Learned<T> {
  if (isAllowed === false) return FORBIDDEN
  return isAllowed === undefined || value === undefined ? AWAITED : { is: 'known', value }
}

/** The value, if it is known. */
export function known<T>(fact: Learned<T>): T | undefined {
  return fact.is === 'known' ? fact.value : undefined
}
