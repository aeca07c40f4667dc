import { kindsOf, quantity, type RuleParameter } from './kind.ts'

const EVENT_TYPE = {
  name: 'eventType',
  type: 'eventType',
  default: null,
  label: { en: 'Measurement', de: 'Messwert' },
  reason: { en: 'Any measurement that is a number.', de: 'Jeder Messwert, der eine Zahl ist.' },
} as const satisfies RuleParameter

const LIMIT = quantity('limit', '', [-1_000_000, 10_000_000], null, {
  label: { en: 'Limit', de: 'Grenze' },
  reason: { en: 'In the unit of the measurement.', de: 'In der Einheit des Messwerts.' },
})

const HYSTERESIS = quantity('hysteresis', '', [0, 1_000_000], 0, {
  label: { en: 'Hysteresis', de: 'Hysterese' },
  reason: {
    en: 'It ends only when the value is back by this much, so that noise at the limit does not make many of one.',
    de: 'Es endet erst, wenn der Wert um so viel zurück ist, damit Rauschen an der Grenze nicht viele aus einem macht.',
  },
})

const VALUE_FOR_S = quantity('forS', 's', [0, 86_400], 60, {
  label: { en: 'For at least', de: 'Mindestens' },
  reason: {
    en: 'A single reading may be wrong. 0 counts it.',
    de: 'Ein einzelner Messwert kann falsch sein. 0 zählt ihn.',
  },
})

/** The car itself reports these. */
export const VEHICLE_KINDS = kindsOf('vehicle', [
  {
    name: 'ENGINE_HOT',
    parameters: [
      quantity('aboveC', '°C', [60, 180], 112, {
        label: { en: 'Above', de: 'Über' },
        reason: {
          en: 'Thermostats keep 85 to 105 °C; most cars warn between 115 and 120.',
          de: 'Thermostate halten 85 bis 105 °C; die meisten Fahrzeuge warnen zwischen 115 und 120.',
        },
      }),
      quantity('forS', 's', [0, 3600], 30, {
        label: { en: 'For at least', de: 'Mindestens' },
        reason: { en: 'A single reading may be wrong.', de: 'Ein einzelner Messwert kann falsch sein.' },
      }),
    ],
    peakUnit: '°C',
    severity: 'critical',
    title: { en: 'Engine too hot', de: 'Motor zu heiß' },
    description: { en: 'The coolant is too hot.', de: 'Das Kühlmittel ist zu heiß.' },
  },
  {
    name: 'TROUBLE_CODE',
    parameters: [
      {
        name: 'listed',
        type: 'enum',
        choices: [
          { value: 'ANY', label: { en: 'Permanent or sporadic', de: 'Permanent oder sporadisch' } },
          { value: 'PERMANENT', label: { en: 'Permanent', de: 'Permanent' } },
          { value: 'SPORADIC', label: { en: 'Sporadic', de: 'Sporadisch' } },
        ],
        default: 'ANY',
        label: { en: 'Kind', de: 'Art' },
        reason: {
          en: 'A sporadic fault mostly becomes a permanent one.',
          de: 'Aus einem sporadischen Fehler wird meist ein permanenter.',
        },
      },
      {
        name: 'ecuTypeId',
        type: 'integer',
        unit: '',
        minimum: 0,
        maximum: 15,
        default: 0,
        label: { en: 'Control unit', de: 'Steuergerät' },
        reason: {
          en: 'Its number in the fault codes; 0 stands for all.',
          de: 'Seine Nummer in den Fehlercodes; 0 steht für alle.',
        },
      },
      {
        name: 'pattern',
        type: 'dtcPattern',
        default: '*',
        label: { en: 'Codes', de: 'Codes' },
        reason: {
          en: 'All codes. P03* are misfires, for example: * stands for any characters, ? for one.',
          de: 'Alle Codes. P03* sind zum Beispiel Zündaussetzer: * steht für beliebige Zeichen, ? für eines.',
        },
      },
    ],
    severity: 'warning',
    title: { en: 'Fault code', de: 'Fehlercode' },
    description: {
      en: 'A control unit has stored a fault code. It lasts until the code is gone.',
      de: 'Ein Steuergerät hat einen Fehlercode gespeichert. Es dauert, bis der Code gelöscht ist.',
    },
  },
  {
    name: 'MIL_ON',
    parameters: [],
    severity: 'critical',
    title: { en: 'Malfunction indicator on', de: 'Motorkontrollleuchte an' },
    description: { en: 'The malfunction indicator lamp of the engine is on.', de: 'Die Motorkontrollleuchte ist an.' },
  },
  {
    name: 'SERVICE_DUE',
    parameters: [
      quantity('remainingKm', 'km', [0, 100_000], 1000, {
        label: { en: 'Remaining distance', de: 'Restweg' },
        reason: {
          en: 'Some two weeks of a car that is driven 25,000 km a year.',
          de: 'Etwa zwei Wochen eines Fahrzeugs, das 25.000 km im Jahr fährt.',
        },
      }),
      quantity('remainingDays', 'd', [0, 730], 14, {
        label: { en: 'Remaining time', de: 'Restzeit' },
        reason: { en: 'Time enough to get an appointment.', de: 'Zeit genug, um einen Termin zu bekommen.' },
      }),
    ],
    severity: 'warning',
    title: { en: 'Service due, by the car', de: 'Service fällig laut Fahrzeug' },
    description: {
      en: 'The car itself reports that an inspection or an oil change is due soon.',
      de: 'Das Fahrzeug selbst meldet, dass bald eine Inspektion oder ein Ölwechsel fällig ist.',
    },
  },
  {
    name: 'SERVICE_DUE_KM',
    parameters: [
      quantity('dueKm', 'km', [0, 4_000_000], 30_000, {
        label: { en: 'Due at', de: 'Fällig bei' },
        reason: { en: 'A usual interval of inspections.', de: 'Ein übliches Inspektionsintervall.' },
      }),
      quantity('everyKm', 'km', [0, 1_000_000], 30_000, {
        label: { en: 'Then every', de: 'Danach alle' },
        reason: {
          en: 'A usual interval of inspections. 0: only once.',
          de: 'Ein übliches Inspektionsintervall. 0: nur einmal.',
        },
      }),
      quantity('aheadKm', 'km', [0, 100_000], 1000, {
        label: { en: 'Ahead by', de: 'Vorlauf' },
        reason: {
          en: 'Some two weeks of a car that is driven 25,000 km a year.',
          de: 'Etwa zwei Wochen eines Fahrzeugs, das 25.000 km im Jahr fährt.',
        },
      }),
    ],
    peakUnit: 'km',
    severity: 'warning',
    title: { en: 'Service due by distance', de: 'Service fällig nach Kilometern' },
    description: {
      en: 'The odometer has reached what is due, or is near to it.',
      de: 'Der Kilometerstand hat erreicht, was fällig ist, oder ist nahe daran.',
    },
  },
  {
    name: 'SERVICE_DUE_HOURS',
    parameters: [
      quantity('engineHours', 'h', [0, 1_000_000], 0, {
        label: { en: 'Engine hours at the beginning', de: 'Betriebsstunden zu Beginn' },
        reason: { en: 'Hours are counted from when the rule begins.', de: 'Gezählt wird ab Beginn der Regel.' },
      }),
      quantity('dueHours', 'h', [0, 1_000_000], 500, {
        label: { en: 'Due at', de: 'Fällig bei' },
        reason: {
          en: 'A usual interval of oil changes for machines.',
          de: 'Ein übliches Intervall für den Ölwechsel bei Maschinen.',
        },
      }),
      quantity('everyHours', 'h', [0, 100_000], 500, {
        label: { en: 'Then every', de: 'Danach alle' },
        reason: {
          en: 'A usual interval of oil changes for machines. 0: only once.',
          de: 'Ein übliches Intervall für den Ölwechsel bei Maschinen. 0: nur einmal.',
        },
      }),
    ],
    peakUnit: 'h',
    severity: 'warning',
    title: { en: 'Service due by engine hours', de: 'Service fällig nach Betriebsstunden' },
    description: {
      en: 'The engine has run for as long as is due.',
      de: 'Der Motor ist so lange gelaufen, dass der Service fällig ist.',
    },
  },
  {
    name: 'SERVICE_DUE_DATE',
    parameters: [
      {
        name: 'dueDate',
        type: 'date',
        default: null,
        label: { en: 'Due on', de: 'Fällig am' },
        reason: {
          en: 'The date in the papers of the car. It begins at midnight UTC.',
          de: 'Das Datum aus den Papieren des Fahrzeugs. Es beginnt um Mitternacht UTC.',
        },
      },
      {
        name: 'everyMonths',
        type: 'integer',
        unit: 'mo',
        minimum: 0,
        maximum: 240,
        default: 12,
        label: { en: 'Then every', de: 'Danach alle' },
        reason: {
          en: 'A usual interval of inspections. 0: only once.',
          de: 'Ein übliches Inspektionsintervall. 0: nur einmal.',
        },
      },
      quantity('aheadDays', 'd', [0, 730], 14, {
        label: { en: 'Ahead by', de: 'Vorlauf' },
        reason: { en: 'Time enough to get an appointment.', de: 'Zeit genug, um einen Termin zu bekommen.' },
      }),
    ],
    peakUnit: 'd',
    severity: 'warning',
    title: { en: 'Service due by date', de: 'Service fällig nach Datum' },
    description: {
      en: 'A date has come, or is near: reported with the first measurement from then on, with the days that remain.',
      de: 'Ein Datum ist erreicht oder nahe: gemeldet mit der ersten Messung von da an, mit den verbleibenden Tagen.',
    },
  },
  {
    name: 'VALUE_ABOVE',
    parameters: [EVENT_TYPE, LIMIT, HYSTERESIS, VALUE_FOR_S],
    peakUnit: null,
    severity: 'warning',
    title: { en: 'Value above a limit', de: 'Wert über einer Grenze' },
    description: {
      en: 'A measurement is above a limit for a time.',
      de: 'Ein Messwert liegt eine Zeit lang über einer Grenze.',
    },
  },
  {
    name: 'VALUE_BELOW',
    parameters: [EVENT_TYPE, LIMIT, HYSTERESIS, VALUE_FOR_S],
    peakUnit: null,
    severity: 'warning',
    title: { en: 'Value below a limit', de: 'Wert unter einer Grenze' },
    description: {
      en: 'A measurement is below a limit for a time.',
      de: 'Ein Messwert liegt eine Zeit lang unter einer Grenze.',
    },
  },
])

/** These are about the dongle: it cannot report at all. */
export const DEVICE_KINDS = kindsOf('device', [
  {
    name: 'UNPLUGGED',
    parameters: [],
    severity: 'warning',
    title: { en: 'Device unplugged', de: 'Gerät abgezogen' },
    description: {
      en: 'The device reports that it was pulled out, until it is plugged in again.',
      de: 'Das Gerät meldet, dass es abgezogen wurde, bis es wieder steckt.',
    },
  },
  {
    name: 'OFFLINE',
    parameters: [
      quantity('forMinutes', 'min', [1, 43_200], 1440, {
        label: { en: 'For at least', de: 'Mindestens' },
        reason: {
          en: 'Most devices of parked cars report at least once a day.',
          de: 'Die meisten Geräte geparkter Fahrzeuge melden sich mindestens einmal am Tag.',
        },
      }),
    ],
    severity: 'info',
    title: { en: 'Device silent', de: 'Gerät stumm' },
    description: { en: 'Nothing came of the device for that long.', de: 'Vom Gerät kam so lange nichts.' },
  },
])
