import type { Incident } from '../api/types.ts'
import { nameOfCar } from '../fleet/car.ts'
import type { CarEntry } from '../fleet/use-car-directory.ts'
import { formatQuantity } from '../language/format.ts'
import type { Language } from '../language/language.ts'
import { homeCountryOf, shortAddress } from '../trips/short-address.ts'

/** An incident with what a list says of it beside the API. */
export interface IncidentLine {
  readonly incident: Incident
  readonly carName: string
  /** Empty where the person may not see rules. */
  readonly ruleName: string
  /** Empty when it is about no area, or the person may not see areas. */
  readonly areaName: string
  /** The address at its begin; empty when not known. */
  readonly address: string
}

/** Names of what incidents are about, by id. */
interface NamesOfIncidents {
  readonly cars: ReadonlyMap<string, Pick<CarEntry, 'name'>>
  readonly rules: ReadonlyMap<string, { readonly name: string }>
  readonly areas: ReadonlyMap<string, string>
}

/** Lines of a list, in its order. The country in which most of them are goes without saying. */
export function incidentLines(incidents: readonly Incident[], names: NamesOfIncidents): readonly IncidentLine[] {
  const home = homeCountryOf(incidents.map(({ startAddress }) => ({ tripStartAddress: startAddress })))
  return incidents.map(incident => incidentLine(incident, names, home))
}

export function incidentLine(incident: Incident, names: NamesOfIncidents, homeCountry: string): IncidentLine {
  const { vehicleId, ruleId, areaId, startAddress } = incident
  return {
    incident,
    carName: nameOfCar(names.cars, vehicleId),
    ruleName: names.rules.get(ruleId)?.name ?? '',
    areaName: areaId === null ? '' : (names.areas.get(areaId) ?? ''),
    address: startAddress ? shortAddress(startAddress, homeCountry) : '',
  }
}

/** What happened, such as `Fault code P0301`. */
export function titleOf({ title, detail }: Incident): string {
  return detail === null ? title : `${title} ${detail}`
}

/** The greatest value with its unit; empty without one. */
export function peakText({ peak }: Incident, language: Language): string {
  return peak ? formatQuantity(peak.value, peak.unit, language) : ''
}
