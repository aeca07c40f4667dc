import { defineTexts } from '../language/language.ts'

export const routeMapTexts = defineTexts('routeMap', {
  start: 'Start',
  end: 'End',
  car: 'The car in the replay',
  legend: 'Colour of the route: speed in km/h',
  over: (kmh: number) => `over ${kmh}`,
  upTo: (kmh: number) => `to ${kmh}`,
})
