import { type Static, Type } from 'typebox'
import { idParameter, rangeParameters, timeZoneParameter } from '../../../server/http/parameters.ts'

/** How long cars drove in one hour of the week (beyond the original document). */
export const DrivingHour = Type.Object(
  {
    weekday: Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday, 7 Sunday (ISO 8601).', examples: [1] }),
    hour: Type.Integer({ minimum: 0, maximum: 23, description: 'From this hour of the day on.', examples: [8] }),
    duration: Type.Number({ description: 'Seconds that cars drove in it, all weeks together.', examples: [5400] }),
  },
  { title: 'DrivingHour', description: 'How long cars drove in an hour of the week.' },
)
export type DrivingHour = Static<typeof DrivingHour>

export const DrivingHoursQuery = Type.Object({
  vehicleId: Type.Optional(idParameter('Only trips of this vehicle.', ['VINWVWZZZ1KZAW000001'])),
  timeZone: Type.Optional(timeZoneParameter('In which days and hours begin.')),
  ...rangeParameters('the start of the trips'),
})
export type DrivingHoursQuery = Static<typeof DrivingHoursQuery>
