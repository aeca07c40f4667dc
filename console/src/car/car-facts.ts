import type { LastEvent, Vehicle } from '../api/types.ts'
import { newestMsOf } from '../fleet/dongle-state.ts'

const TEXTS = ['numberPlate', 'vin', 'make', 'model', 'fuelType', 'color', 'group'] as const
type TextName = (typeof TEXTS)[number]

/** What the form of a car's settings holds; an alarm system is null where that is not set. */
export interface SettingsForm extends Readonly<Record<TextName, string>> {
  readonly alarmSystem: boolean | null
}

/** The limit of the service (OpenAPI document, *Settings*). */
export const LONGEST_TEXT = 100

export function formOf(vehicle: Vehicle): SettingsForm {
  const { licensePlate: numberPlate, vin, make, model, fuelType, color = '', group = '' } = vehicle
  const alarm = vehicle.lastEvents.find(({ eventType }) => eventType === 'ALARM_SYSTEM')?.value
  const alarmSystem = typeof alarm === 'boolean' ? alarm : null
  return { numberPlate, vin, make, model, fuelType, color, group, alarmSystem }
}

/** Only what is different from before; empty when nothing is. A VIN and an alarm system cannot be taken away again. */
export function changesOf(before: SettingsForm, { alarmSystem, ...form }: SettingsForm) {
  const written = TEXTS.map(name => [name, name === 'vin' ? vinOf(form.vin) : form[name].trim()] as const)
  return {
    ...(Object.fromEntries(written.filter(([name, text]) => text !== before[name])) as Partial<typeof form>),
    ...(alarmSystem === before.alarmSystem || alarmSystem === null ? {} : { alarmSystem }),
  }
}

/** The fields that the service would refuse (decisions.md, *Vehicles and devices*: 17 characters, no I, O, Q). */
export function invalidFields(before: SettingsForm, form: SettingsForm): readonly TextName[] {
  const vin = vinOf(form.vin)
  const isVinInvalid = vin !== before.vin && !/^[A-HJ-NPR-Z0-9]{17}$/.test(vin)
  const isPlateInvalid = form.numberPlate.trim().length > LONGEST_TEXT
  return [...(isPlateInvalid ? (['numberPlate'] as const) : []), ...(isVinInvalid ? (['vin'] as const) : [])]
}

/** Which field an error of the service is about: its messages begin with the name of the setting. */
export function fieldOfError(message: string): TextName | undefined {
  return (['vin', 'numberPlate'] as const).find(name => message.startsWith(`${name} `))
}

function vinOf(entered: string): string {
  return entered.trim().toUpperCase()
}

/** A value this much older than the newest one of its car is not of now any more. */
const STALE_MS = 24 * 3_600_000

export interface LatestValue extends LastEvent {
  readonly measuredMs: number
  readonly isStale: boolean
}

/** Fault codes by name; how many there are, everybody may know. */
const FAULT_CODES = new Set(['OBD_DTC_PERMANENT', 'OBD_DTC_SPORADIC'])

/** Without what has a card of its own. @param mayReadCodes whether the person may see fault codes */
export function latestValues(lastEvents: readonly LastEvent[], mayReadCodes: boolean): readonly LatestValue[] {
  const timed = lastEvents
    .filter(({ eventType }) => eventType !== 'BATTERY_STATE' && (mayReadCodes || !FAULT_CODES.has(eventType)))
    .map(event => ({ ...event, measuredMs: Date.parse(event.recordedTimestamp) }))
  const newestMs = newestMsOf(lastEvents) ?? 0
  return timed.map(event => ({ ...event, isStale: newestMs - event.measuredMs > STALE_MS }))
}

/** Whether a battery drives it; a hybrid has a tank as well, and its starter battery decides whether it starts. */
export function isElectric(lastEvents: readonly LastEvent[]): boolean {
  const measured = new Set(lastEvents.map(({ eventType }) => eventType))
  return measured.has('HV_BATTERY_SOC') && !measured.has('FUEL_LEVEL') && !measured.has('FUEL_LEVEL_PERCENT')
}

/** Numbers are lines and switches are steps; texts and places have no place on an axis. */
export function isDrawable({ dataType }: { readonly dataType: string }): boolean {
  return dataType === 'NUMBER' || dataType === 'BOOLEAN'
}
