import { kindsOf, quantity, type RuleParameter } from './kind.ts'

const MEASURED_BY = {
  name: 'measuredBy',
  type: 'enum',
  choices: [
    { value: 'FUEL_LEVEL_PERCENT', label: { en: 'Percent of the tank', de: 'Prozent des Tanks' } },
    { value: 'FUEL_LEVEL', label: { en: 'Litres', de: 'Liter' } },
  ],
  default: 'FUEL_LEVEL_PERCENT',
  label: { en: 'Measured in', de: 'Gemessen in' },
  reason: { en: 'More cars report percent than litres.', de: 'Mehr Fahrzeuge melden Prozent als Liter.' },
} as const satisfies RuleParameter

export const ENERGY_KINDS = kindsOf('energy', [
  {
    name: 'REFUELLED',
    parameters: [
      MEASURED_BY,
      quantity('rise', '', [2, 1000], 10, {
        label: { en: 'Rise by at least', de: 'Anstieg um mindestens' },
        reason: {
          en: 'Fuel sloshes by some percent; hardly anybody fills in less than a tenth.',
          de: 'Kraftstoff schwappt um einige Prozent; kaum jemand tankt weniger als ein Zehntel.',
        },
      }),
    ],
    peakUnit: null,
    severity: 'info',
    title: { en: 'Refuelled', de: 'Getankt' },
    description: {
      en: 'The level of the tank has risen. The peak is by how much.',
      de: 'Der Füllstand des Tanks ist gestiegen. Der Spitzenwert sagt, um wie viel.',
    },
  },
  {
    name: 'FUEL_LOST',
    parameters: [
      MEASURED_BY,
      quantity('fall', '', [2, 1000], 8, {
        label: { en: 'Fall by at least', de: 'Rückgang um mindestens' },
        reason: {
          en: 'Slopes and temperature change what the sensor of a parked car shows by less.',
          de: 'Gefälle und Temperatur ändern weniger an dem, was der Sensor eines geparkten Fahrzeugs zeigt.',
        },
      }),
    ],
    peakUnit: null,
    severity: 'critical',
    title: { en: 'Fuel lost while parked', de: 'Kraftstoffverlust im Stand' },
    description: {
      en: 'The level of the tank has fallen while the car was parked, or by more than the way since can have used: theft or a leak. The peak is by how much.',
      de: 'Der Füllstand des Tanks ist im geparkten Fahrzeug gesunken, oder um mehr, als die Strecke seither verbraucht haben kann: Diebstahl oder ein Leck. Der Spitzenwert sagt, um wie viel.',
    },
  },
  {
    name: 'CHARGED',
    parameters: [
      quantity('risePercent', '%', [1, 100], 5, {
        label: { en: 'Rise by at least', de: 'Anstieg um mindestens' },
        reason: {
          en: 'A long way downhill recuperates less.',
          de: 'Auf einer langen Gefällstrecke wird weniger zurückgewonnen.',
        },
      }),
    ],
    peakUnit: '%',
    severity: 'info',
    title: { en: 'Charged', de: 'Geladen' },
    description: {
      en: 'The charge of the high-voltage battery has risen. The peak is by how much.',
      de: 'Der Ladestand der Hochvoltbatterie ist gestiegen. Der Spitzenwert sagt, um wie viel.',
    },
  },
  {
    name: 'LOW_BATTERY',
    parameters: [
      quantity('belowV', 'V', [6, 30], 11.8, {
        label: { en: 'Below', de: 'Unter' },
        reason: {
          en: 'A lead battery of 12 V is nearly empty at rest, and may not start the engine. 24 V: 23.6.',
          de: 'Eine 12-V-Bleibatterie ist in Ruhe fast leer und startet den Motor vielleicht nicht. 24 V: 23,6.',
        },
      }),
      quantity('restMinutes', 'min', [0, 1440], 30, {
        label: { en: 'After a rest of', de: 'Nach einer Ruhe von' },
        reason: {
          en: 'By then the charge on the surface of the plates, which hides an empty battery, is mostly gone.',
          de: 'Dann ist die Oberflächenladung der Platten, die eine leere Batterie verbirgt, meist abgebaut.',
        },
      }),
    ],
    peakUnit: 'V',
    severity: 'warning',
    title: { en: 'Starter battery low', de: 'Starterbatterie schwach' },
    description: {
      en: 'The voltage is low while the car is at rest. The peak is the lowest.',
      de: 'Die Spannung ist niedrig, während das Fahrzeug ruht. Der Spitzenwert ist die niedrigste.',
    },
  },
])
