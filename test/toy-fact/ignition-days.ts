import { requiredEventType } from '../../src/catalogue/event-types.ts'
import type { FoldPart } from '../../src/derive/fold-part.ts'
import { eventsOf } from '../../src/model/sample.ts'

const IGNITION = requiredEventType('IS_IGNITION_ON').id
const DAY_MS = 86_400_000

/** How often the ignition was turned on in a day of UTC; it begins when that was first so. */
type IgnitionDay = { readonly startMs: number; readonly cycles: number }

type State = { readonly isOn: boolean; readonly day: IgnitionDay | null }

export const ignitionDays: FoldPart<State, IgnitionDay> = {
  begin: () => ({ isOn: false, day: null }),
  step(state, sample) {
    const isOn = eventsOf(sample).get(IGNITION) ?? state.isOn
    if (isOn !== true || state.isOn) return { state: { ...state, isOn: isOn === true }, done: [] }
    const { day } = state
    if (day && dayOf(day.startMs) === dayOf(sample.timeMs))
      return { state: { isOn, day: { ...day, cycles: day.cycles + 1 } }, done: [] }
    return { state: { isOn, day: { startMs: sample.timeMs, cycles: 1 } }, done: day ? [day] : [] }
  },
  goingOn: ({ day }) => (day ? [day] : []),
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS)
}
