import type { Sample } from '../intake/sample.ts'
import { withBatteryState } from './battery-state.ts'
import { type LatestValues, withSamples } from './latest-values.ts'

/** What is known of a dongle in a vehicle while its samples pass. */
export interface DerivedState {
  readonly latest: LatestValues
}

/** A thing worked out from samples: given the state before them, the state after and what the next steps see. Pure. */
type Step = (
  state: DerivedState,
  samples: readonly Sample[],
) => { readonly state: DerivedState; readonly samples: readonly Sample[] }

const batteryStates: Step = (state, samples) => ({ state, samples: samples.map(withBatteryState) })

const latestValues: Step = (state, samples) => {
  const latest = withSamples(state.latest, samples)
  return { state: latest === state.latest ? state : { ...state, latest }, samples }
}

/** Everything that is derived from samples, in order: a step sees what the ones before it added. */
const STEPS: readonly Step[] = [batteryStates, latestValues]

/**
 * @param samples each instant once
 * @returns the very object `state` when the samples changed nothing.
 */
export function derive(state: DerivedState, samples: readonly Sample[]): DerivedState {
  return STEPS.reduce((current, step) => step(current.state, current.samples), { state, samples }).state
}
