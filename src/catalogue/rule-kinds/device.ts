import type { RuleKind } from './kind.ts'

/** Whether the dongle can report at all. */
export const DEVICE_KINDS = [
  {
    name: 'UNPLUGGED',
    group: 'device',
    parameters: [],
    peakUnit: '',
    severity: 'warning',
    hours: 'applies',
    title: { en: 'Dongle unplugged', de: 'Dongle ausgesteckt' },
    description: {
      en: 'The dongle reports that it was pulled out, until it is plugged in again.',
      de: 'Der Dongle meldet, dass er herausgezogen wurde, bis er wieder steckt.',
    },
  },
  {
    name: 'OFFLINE',
    group: 'device',
    parameters: [
      {
        name: 'forMinutes',
        type: 'number',
        unit: 'min',
        minimum: 1,
        maximum: 43_200,
        default: 1440,
        label: { en: 'For at least', de: 'Mindestens' },
        reason: {
          en: 'Most dongles of parked cars report at least once a day.',
          de: 'Die meisten Dongles geparkter Fahrzeuge melden sich mindestens einmal am Tag.',
        },
      },
    ],
    peakUnit: '',
    severity: 'info',
    hours: 'applies',
    title: { en: 'Dongle silent', de: 'Dongle stumm' },
    description: {
      en: 'Nothing came of the dongle for that long.',
      de: 'Vom Dongle kam so lange nichts.',
    },
  },
] as const satisfies readonly RuleKind[]
