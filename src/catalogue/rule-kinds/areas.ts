import { AREAS, kindsOf, quantity, SHORTEST_STAY_MINUTES, SPEEDING_FOR_S, TOLERANCE_KMH } from './kind.ts'

export const AREA_KINDS = kindsOf('areas', [
  {
    name: 'AREA_ENTERED',
    parameters: [AREAS, SHORTEST_STAY_MINUTES],
    severity: 'info',
    title: { en: 'Area entered', de: 'In ein Gebiet gefahren' },
    description: {
      en: 'The car is in one of the areas, from its first fix inside to the last.',
      de: 'Das Fahrzeug ist in einem der Gebiete, von der ersten Position darin bis zur letzten.',
    },
  },
  {
    name: 'AREA_LEFT',
    parameters: [AREAS, SHORTEST_STAY_MINUTES],
    severity: 'info',
    title: { en: 'Area left', de: 'Ein Gebiet verlassen' },
    description: {
      en: 'The car has left one of the areas: the moment of its last fix inside.',
      de: 'Das Fahrzeug hat eines der Gebiete verlassen: der Augenblick der letzten Position darin.',
    },
  },
  {
    name: 'AREA_STAYED',
    parameters: [
      AREAS,
      quantity('longerThanMinutes', 'min', [1, 43_200], 60, {
        label: { en: 'Longer than', de: 'Länger als' },
        reason: {
          en: 'Unloading mostly takes less than an hour.',
          de: 'Abladen dauert meist weniger als eine Stunde.',
        },
      }),
    ],
    severity: 'warning',
    title: { en: 'Stayed long in an area', de: 'Lange in einem Gebiet' },
    description: {
      en: 'The car has stayed in one of the areas for longer than that.',
      de: 'Das Fahrzeug ist länger als das in einem der Gebiete geblieben.',
    },
  },
  {
    name: 'OUTSIDE_AREAS',
    parameters: [
      AREAS,
      quantity('forMinutes', 'min', [0, 1440], 5, {
        label: { en: 'For at least', de: 'Mindestens' },
        reason: {
          en: 'A turn round the block is shorter, and a false fix as well.',
          de: 'Eine Runde um den Block ist kürzer, eine falsche Position auch.',
        },
      }),
    ],
    severity: 'warning',
    title: { en: 'Outside of the areas', de: 'Außerhalb der Gebiete' },
    description: {
      en: 'The car is in none of the areas, at the hours of the rule.',
      de: 'Das Fahrzeug ist zu den Zeiten der Regel in keinem der Gebiete.',
    },
  },
  {
    name: 'SPEEDING_IN_AREA',
    parameters: [
      AREAS,
      quantity('limitKmh', 'km/h', [5, 250], 30, {
        label: { en: 'Speed limit', de: 'Tempolimit' },
        reason: {
          en: 'Usual in residential areas; many yards allow less.',
          de: 'In Wohngebieten üblich; viele Betriebshöfe erlauben weniger.',
        },
      }),
      TOLERANCE_KMH,
      SPEEDING_FOR_S,
    ],
    peakUnit: 'km/h',
    severity: 'warning',
    title: { en: 'Speeding in an area', de: 'Zu schnell in einem Gebiet' },
    description: {
      en: 'The car is faster than the limit of one of the areas, for longer than a moment.',
      de: 'Das Fahrzeug ist länger als einen Moment schneller als das Limit eines der Gebiete.',
    },
  },
])
