import { defineTexts } from '../language/language.ts'

export const routeMapTexts = defineTexts(
  {
    start: 'Start',
    end: 'End',
    car: 'The car in the replay',
    legend: 'Colour of the route: speed in km/h',
    over: (kmh: number) => `over ${kmh}`,
    upTo: (kmh: number) => `to ${kmh}`,
  },
  {
    start: 'Start',
    end: 'Ziel',
    car: 'Das Fahrzeug in der Wiedergabe',
    legend: 'Farbe der Route: Tempo in km/h',
    over: kmh => `über ${kmh}`,
    upTo: kmh => `bis ${kmh}`,
  },
)
