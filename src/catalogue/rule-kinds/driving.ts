import { kindsOf, quantity, SPEEDING_FOR_S, TOLERANCE_KMH, VEHICLE_CLASS } from './kind.ts'

export const DRIVING_KINDS = kindsOf('driving', [
  {
    name: 'SPEEDING',
    parameters: [
      quantity('limitKmh', 'km/h', [5, 250], 130, {
        label: { en: 'Speed limit', de: 'Tempolimit' },
        reason: {
          en: 'The recommended speed on German motorways, and the limit on those of most neighbours.',
          de: 'Die Richtgeschwindigkeit auf deutschen Autobahnen und das Limit der meisten Nachbarländer.',
        },
      }),
      TOLERANCE_KMH,
      SPEEDING_FOR_S,
    ],
    peakUnit: 'km/h',
    severity: 'warning',
    title: { en: 'Speeding', de: 'Zu schnell' },
    description: {
      en: 'The car is faster than the limit, for longer than a moment.',
      de: 'Das Fahrzeug ist länger als einen Moment schneller als das Limit.',
    },
  },
  {
    name: 'IDLING',
    parameters: [
      quantity('forMinutes', 'min', [1, 240], 5, {
        label: { en: 'For at least', de: 'Mindestens' },
        reason: {
          en: 'Traffic lights and level crossings are shorter, and it is what many idling laws allow.',
          de: 'Ampeln und Bahnübergänge dauern kürzer, und viele Vorschriften zum Leerlauf erlauben so viel.',
        },
      }),
    ],
    severity: 'info',
    title: { en: 'Idling', de: 'Leerlauf' },
    description: { en: 'The car stands with its engine running.', de: 'Das Fahrzeug steht mit laufendem Motor.' },
  },
  {
    name: 'HARSH_ACCELERATION',
    parameters: [VEHICLE_CLASS],
    peakUnit: 'm/s²',
    severity: 'info',
    title: { en: 'Harsh acceleration', de: 'Starkes Beschleunigen' },
    description: {
      en: 'The device reports it, or speeds a second apart show it.',
      de: 'Das Gerät meldet es, oder Geschwindigkeiten im Abstand einer Sekunde zeigen es.',
    },
  },
  {
    name: 'HARSH_BRAKING',
    parameters: [VEHICLE_CLASS],
    peakUnit: 'm/s²',
    severity: 'info',
    title: { en: 'Harsh braking', de: 'Starkes Bremsen' },
    description: {
      en: 'The device reports it, or speeds a second apart show it.',
      de: 'Das Gerät meldet es, oder Geschwindigkeiten im Abstand einer Sekunde zeigen es.',
    },
  },
  {
    name: 'HARSH_CORNERING',
    parameters: [VEHICLE_CLASS],
    peakUnit: 'm/s²',
    severity: 'info',
    title: { en: 'Harsh cornering', de: 'Zu schnell in der Kurve' },
    description: {
      en: 'The device reports it, or speed and course a second apart show it.',
      de: 'Das Gerät meldet es, oder Geschwindigkeit und Kurs im Abstand einer Sekunde zeigen es.',
    },
  },
  {
    name: 'CRASH',
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
    title: { en: 'Crash', de: 'Unfall' },
    description: { en: 'The device felt a crash.', de: 'Das Gerät hat einen Aufprall gespürt.' },
  },
])

export const USE_KINDS = kindsOf('use', [
  {
    name: 'USED_OUTSIDE_HOURS',
    parameters: [
      quantity('forMinutes', 'min', [0, 1440], 2, {
        label: { en: 'For at least', de: 'Mindestens' },
        reason: { en: 'Moving a car out of the way is no trip.', de: 'Ein Fahrzeug umzuparken ist noch keine Fahrt.' },
      }),
    ],
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
    parameters: [
      quantity('distanceM', 'm', [100, 100_000], 200, {
        label: { en: 'Moved by at least', de: 'Bewegt um mindestens' },
        reason: {
          en: 'Fixes of a parked car wander by up to 160 m between houses.',
          de: 'Positionen eines geparkten Fahrzeugs wandern zwischen Häusern um bis zu 160 m.',
        },
      }),
    ],
    peakUnit: 'm',
    severity: 'critical',
    title: { en: 'Towed', de: 'Abgeschleppt' },
    description: {
      en: 'The car is moved while its ignition is off: towed, stolen, or on a ferry.',
      de: 'Das Fahrzeug wird mit ausgeschalteter Zündung bewegt: abgeschleppt, gestohlen oder auf einer Fähre.',
    },
  },
])

const STANDARD_GRAVITY_MPS2 = 9.80665

export type HarshManoeuvre = 'acceleration' | 'braking' | 'cornering'
export type VehicleClass = 'CAR' | 'VAN' | 'TRUCK'

/** In g. Cars: Simons-Morton et al. (American Journal of Epidemiology, 2012). Trucks: half of what loads are secured
 * against (EN 12195-1: 0.8 g to the front, 0.5 g to the side and to the back). Vans lie between. */
const THRESHOLDS_G: Readonly<Record<VehicleClass, Readonly<Record<HarshManoeuvre, number>>>> = {
  CAR: { acceleration: 0.35, braking: 0.45, cornering: 0.5 },
  VAN: { acceleration: 0.3, braking: 0.42, cornering: 0.4 },
  TRUCK: { acceleration: 0.25, braking: 0.4, cornering: 0.25 },
}

/** From which acceleration on, in m/s², a manoeuvre is harsh for vehicles of a class. */
export function harshThresholdMps2(manoeuvre: HarshManoeuvre, vehicleClass: VehicleClass): number {
  return THRESHOLDS_G[vehicleClass][manoeuvre] * STANDARD_GRAVITY_MPS2
}
