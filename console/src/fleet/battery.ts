import type { LastEvent } from '../api/types.ts'

/** The states of the contract (fleet-api-v2.md, *States and transitions*), and `Normal` for the voltages in between. */
const BATTERY_STATES = ['Overvoltage', 'Loading', 'Normal', 'Warning', 'Very Low', 'Empty'] as const
export type BatteryState = (typeof BATTERY_STATES)[number]

interface Battery {
  readonly state: BatteryState
  readonly voltageV: number | undefined
  readonly measuredMs: number
}

/**
 * The starter battery by a car's latest values. A voltage from 11.3 to 13 V has no state, so a state that is older than
 * the voltage does not hold any more.
 *
 * @returns undefined when the car has not reported it
 */
export function batteryOf(lastEvents: readonly LastEvent[]): Battery | undefined {
  const voltage = lastEvents.find(event => event.eventType === 'BATTERY_VOLTAGE')
  const told = lastEvents.find(event => event.eventType === 'BATTERY_STATE')
  const voltageMs = voltage ? Date.parse(voltage.recordedTimestamp) : Number.NEGATIVE_INFINITY
  const toldMs = told ? Date.parse(told.recordedTimestamp) : Number.NEGATIVE_INFINITY
  if (!voltage && !told) return undefined
  const known = BATTERY_STATES.find(state => state === told?.value)
  return {
    state: known !== undefined && toldMs >= voltageMs ? known : 'Normal',
    voltageV: typeof voltage?.value === 'number' ? voltage.value : undefined,
    measuredMs: Math.max(voltageMs, toldMs),
  }
}
