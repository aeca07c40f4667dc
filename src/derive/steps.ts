import type { Sample } from '../intake/sample.ts'
import { withBatteryState } from './battery-state.ts'
import { type LatestValues, withSample } from './latest-values.ts'

/** What is known of a dongle in a vehicle while its samples pass. */
export interface DerivedState {
  readonly latest: LatestValues
}

/** A thing worked out from samples: given the state before a sample, the state and the sample after it. Pure. */
type Step = (state: DerivedState, sample: Sample) => { readonly state: DerivedState; readonly sample: Sample }

const batteryState: Step = (state, sample) => ({ state, sample: withBatteryState(sample) })

const latestValues: Step = (state, sample) => {
  const latest = withSample(state.latest, sample)
  return { state: latest === state.latest ? state : { ...state, latest }, sample }
}

/** Everything that is derived from samples, in order: a step sees what the ones before it added. */
const STEPS: readonly Step[] = [batteryState, latestValues]

/** @returns the very object `state` when the samples changed nothing. */
export function derive(state: DerivedState, samples: readonly Sample[]): DerivedState {
  let current = state
  for (const received of samples) {
    let sample = received
    for (const step of STEPS) ({ state: current, sample } = step(current, sample))
  }
  return current
}
