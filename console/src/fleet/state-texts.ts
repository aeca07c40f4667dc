import { defineTexts } from '../language/language.ts'

/** The words for states of cars and dongles, the same on every page. */
export const stateTexts = defineTexts('carState', {
  movements: {
    driving: 'Driving',
    idling: 'Idling',
    parked: 'Parked',
    catchingUp: 'Catching up',
    silent: 'No contact',
    withoutDongle: 'No device',
    neverReported: 'No values yet',
  },
  attention: 'Attention',
  needsAttention: 'Needs attention',
  healths: {
    healthy: 'Nothing wrong reported',
    unknown: 'Reports nothing about its health',
    awaited: 'Fault codes are still loading',
    forbidden: 'You may not see whether it has faults',
  },
  lostInTrip: (age: string) => `Lost contact during a trip, ${age}`,
  lastValues: (age: string) => `Last values ${age}`,
  parkedFor: (duration: string) => `parked for ${duration}`,
  /** Two or more. */
  parkedForDays: (days: string) => `parked for ${days} days`,
  catchingUp: (age: string) => `Its device is uploading what it had stored. Newest value ${age}`,
  neverHeard: 'Its device has not sent any values yet',
  neverHadDongle: 'No device has reported for it',
  dongleGone: (age: string) => `No device in it any more. Last values ${age}`,
  batteries: {
    Overvoltage: 'Battery voltage too high',
    Warning: 'Starter battery low',
    'Very Low': 'Starter battery very low',
    Empty: 'Starter battery empty',
  },
  withVoltage: (text: string, voltage: string) => `${text} (${voltage})`,
  lamp: 'Engine warning light on',
  codes: (codes: readonly string[], more: number) =>
    `${codes.length === 1 ? 'Fault code' : 'Fault codes'} ${codes.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  unnamedCodes: {
    unread: (count: string | undefined) => (count === undefined ? 'Fault codes' : `${someCodes(count)}, not read yet`),
    forbidden: (count: string | undefined) => `${someCodes(count)} that you may not see`,
    awaited: (count: string | undefined) => someCodes(count),
  },
  unplugged: 'Device unplugged',
  noPosition: 'Position not reported yet',
  noPositionPermission: 'You may not see where it is',
  energy: { fuel: 'Fuel', charge: 'Charge' },
  charging: 'charging',
  contacts: {
    online: 'Online',
    catchingUp: 'Online, catching up',
    asleep: 'Asleep',
    silent: 'No contact',
    never: 'Not reported yet',
    offline: 'Offline',
    unknown: 'Not visible to you',
  },
  heardNow: 'now',
  never: 'never',
  notVisible: 'not visible to you',
  awaited: 'loading …',
  plugs: { in: 'Plugged in', out: 'Unplugged', unknown: 'Not known' },
})

function someCodes(count: string | undefined): string {
  if (count === undefined) return 'Fault codes'
  return count === '1' ? '1 fault code' : `${count} fault codes`
}

export type StateTexts = (typeof stateTexts)['en']
