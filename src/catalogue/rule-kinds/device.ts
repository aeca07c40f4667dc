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
    title: { en: 'Device unplugged', de: 'Gerät abgezogen' },
    description: {
      en: 'The device reports that it was pulled out, until it is plugged in again.',
      de: 'Das Gerät meldet, dass es abgezogen wurde, bis es wieder steckt.',
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
          en: 'Most devices of parked cars report at least once a day.',
          de: 'Die meisten Geräte geparkter Fahrzeuge melden sich mindestens einmal am Tag.',
        },
      },
    ],
    peakUnit: '',
    severity: 'info',
    hours: 'applies',
    title: { en: 'Device silent', de: 'Gerät stumm' },
    description: {
      en: 'Nothing came of the device for that long.',
      de: 'Vom Gerät kam so lange nichts.',
    },
  },
] as const satisfies readonly RuleKind[]
