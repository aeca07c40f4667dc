import type { RuleKind } from './kind.ts'

/** Rules about who uses cars, and when. */
export const USE_KINDS = [
  {
    name: 'USED_OUTSIDE_HOURS',
    group: 'use',
    parameters: [
      {
        name: 'forMinutes',
        type: 'number',
        unit: 'min',
        minimum: 0,
        maximum: 1440,
        default: 2,
        label: { en: 'For at least', de: 'Mindestens' },
        reason: {
          en: 'Moving a car out of the way is no trip.',
          de: 'Ein Fahrzeug umzuparken ist noch keine Fahrt.',
        },
      },
    ],
    peakUnit: '',
    severity: 'warning',
    hours: 'permitted',
    title: { en: 'Used outside permitted hours', de: 'Fahrt außerhalb der erlaubten Zeiten' },
    description: {
      en: 'The car is driven at another time than the hours of the rule permit.',
      de: 'Das Fahrzeug wird zu einer anderen Zeit gefahren, als die Regel erlaubt.',
    },
  },
  {
    name: 'TOWED',
    group: 'use',
    parameters: [
      {
        name: 'distanceM',
        type: 'number',
        unit: 'm',
        minimum: 100,
        maximum: 100_000,
        default: 200,
        label: { en: 'Moved by at least', de: 'Bewegt um mindestens' },
        reason: {
          en: 'Fixes of a parked car wander by up to 160 m between houses.',
          de: 'Positionen eines geparkten Fahrzeugs wandern zwischen Häusern um bis zu 160 m.',
        },
      },
    ],
    peakUnit: 'm',
    severity: 'critical',
    hours: 'applies',
    title: { en: 'Towed', de: 'Abgeschleppt' },
    description: {
      en: 'The car is moved while its ignition is off: towed, stolen, or on a ferry.',
      de: 'Das Fahrzeug wird mit ausgeschalteter Zündung bewegt: abgeschleppt, gestohlen oder auf einer Fähre.',
    },
  },
] as const satisfies readonly RuleKind[]
