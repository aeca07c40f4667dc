import type { RuleKind } from './kind.ts'
import { SPEEDING_FOR_S, TOLERANCE_KMH, VEHICLE_CLASS } from './shared-parameters.ts'

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
        label: { en: 'Speed limit', de: 'Tempolimit' },
        reason: {
          en: 'The recommended speed on German motorways, and the limit on those of most neighbours.',
          de: 'Die Richtgeschwindigkeit auf deutschen Autobahnen und das Limit der meisten Nachbarländer.',
        },
      },
      TOLERANCE_KMH,
      SPEEDING_FOR_S,
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
  {
    name: 'HARSH_ACCELERATION',
    group: 'driving',
    parameters: [VEHICLE_CLASS],
    peakUnit: 'm/s²',
    severity: 'info',
    hours: 'applies',
    title: { en: 'Harsh acceleration', de: 'Starkes Beschleunigen' },
    description: {
      en: 'The device reports it, or speeds a second apart show it.',
      de: 'Das Gerät meldet es, oder Geschwindigkeiten im Abstand einer Sekunde zeigen es.',
    },
  },
  {
    name: 'HARSH_BRAKING',
    group: 'driving',
    parameters: [VEHICLE_CLASS],
    peakUnit: 'm/s²',
    severity: 'info',
    hours: 'applies',
    title: { en: 'Harsh braking', de: 'Starkes Bremsen' },
    description: {
      en: 'The device reports it, or speeds a second apart show it.',
      de: 'Das Gerät meldet es, oder Geschwindigkeiten im Abstand einer Sekunde zeigen es.',
    },
  },
  {
    name: 'HARSH_CORNERING',
    group: 'driving',
    parameters: [VEHICLE_CLASS],
    peakUnit: 'm/s²',
    severity: 'info',
    hours: 'applies',
    title: { en: 'Harsh cornering', de: 'Zu schnell in der Kurve' },
    description: {
      en: 'The device reports it, or speed and course a second apart show it.',
      de: 'Das Gerät meldet es, oder Geschwindigkeit und Kurs im Abstand einer Sekunde zeigen es.',
    },
  },
  {
    name: 'CRASH',
    group: 'driving',
    parameters: [
      {
        name: 'strength',
        type: 'enum',
        choices: [
          { value: 'ANY', label: { en: 'Weak or severe', de: 'Leicht oder schwer' } },
          { value: 'SEVERE', label: { en: 'Severe only', de: 'Nur schwer' } },
        ],
        default: 'ANY',
        label: { en: 'Strength', de: 'Stärke' },
        reason: {
          en: 'A crash that the device takes for weak may still hurt somebody.',
          de: 'Auch bei einem Unfall, den das Gerät für leicht hält, kann jemand verletzt sein.',
        },
      },
    ],
    peakUnit: 'm/s²',
    severity: 'critical',
    hours: 'applies',
    title: { en: 'Crash', de: 'Unfall' },
    description: {
      en: 'The device felt a crash.',
      de: 'Das Gerät hat einen Aufprall gespürt.',
    },
  },
] as const satisfies readonly RuleKind[]
