import type { RuleKind } from './kind.ts'

/** How cars are driven. */
export const DRIVING_KINDS = [
  {
    name: 'SPEEDING',
    group: 'driving',
    parameters: [
      {
        name: 'limitKmh',
        type: 'number',
        unit: 'km/h',
        minimum: 5,
        maximum: 250,
        default: 130,
        label: { en: 'Speed limit', de: 'Höchstgeschwindigkeit' },
        reason: {
          en: 'The recommended speed on German motorways, and the limit on those of most neighbours.',
          de: 'Die Richtgeschwindigkeit auf deutschen Autobahnen und das Limit der meisten Nachbarländer.',
        },
      },
      {
        name: 'toleranceKmh',
        type: 'number',
        unit: 'km/h',
        minimum: 0,
        maximum: 50,
        default: 3,
        label: { en: 'Tolerance', de: 'Toleranz' },
        reason: {
          en: 'What German authorities deduct up to 100 km/h. It begins above limit and tolerance, and ends at the limit.',
          de: 'Der Abzug deutscher Behörden bis 100 km/h. Sie beginnt über Limit und Toleranz und endet am Limit.',
        },
      },
      {
        name: 'forS',
        type: 'number',
        unit: 's',
        minimum: 1,
        maximum: 3600,
        default: 10,
        label: { en: 'For at least', de: 'Mindestens' },
        reason: {
          en: 'A single reading may be wrong, and overtaking takes a moment.',
          de: 'Ein einzelner Messwert kann falsch sein, und Überholen dauert einen Moment.',
        },
      },
    ],
    peakUnit: 'km/h',
    severity: 'warning',
    hours: 'applies',
    title: { en: 'Speeding', de: 'Zu schnell' },
    description: {
      en: 'The car is faster than the limit, for longer than a moment.',
      de: 'Das Fahrzeug ist länger als einen Moment schneller als das Limit.',
    },
  },
  {
    name: 'IDLING',
    group: 'driving',
    parameters: [
      {
        name: 'forMinutes',
        type: 'number',
        unit: 'min',
        minimum: 1,
        maximum: 240,
        default: 5,
        label: { en: 'For at least', de: 'Mindestens' },
        reason: {
          en: 'Traffic lights and level crossings are shorter, and it is what many idling laws allow.',
          de: 'Ampeln und Bahnübergänge dauern kürzer, und viele Vorschriften zum Leerlauf erlauben so viel.',
        },
      },
    ],
    peakUnit: '',
    severity: 'info',
    hours: 'applies',
    title: { en: 'Idling', de: 'Leerlauf' },
    description: {
      en: 'The car stands with its engine running.',
      de: 'Das Fahrzeug steht mit laufendem Motor.',
    },
  },
] as const satisfies readonly RuleKind[]
