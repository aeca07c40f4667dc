import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { faultsQuery } from '../faults/faults-query.ts'
import { useLanguage } from '../language/language.ts'
import { useIsAllowed } from '../session/use-session.ts'
import { AWAITED, FORBIDDEN, type Learned } from './learned.ts'

type CodesOfCar = Learned<readonly string[]>

const NONE: CodesOfCar = { is: 'known', value: [] }

/** The codes of each car that has any now; the page of faults shows the same list. */
export interface FleetCodes {
  of(vehicleId: string): CodesOfCar
}

const FORBIDDEN_CODES: FleetCodes = { of: () => FORBIDDEN }
const AWAITED_CODES: FleetCodes = { of: () => AWAITED }

/** The fault codes of the fleet by car, live. */
export function useFleetCodes(): FleetCodes {
  const language = useLanguage()
  const isAllowed = useIsAllowed('dtcs')
  const { data } = useQuery({ ...faultsQuery({ view: 'current' }, language), enabled: isAllowed === true })
  return useMemo(() => {
    if (isAllowed === false) return FORBIDDEN_CODES
    if (!data) return AWAITED_CODES
    const codes = new Map<string, Set<string>>()
    for (const { vehicleId, code, deleteTimestamp } of data.dtcs.values()) {
      if (deleteTimestamp !== null) continue
      const known = codes.get(vehicleId)
      if (known) known.add(code)
      else codes.set(vehicleId, new Set([code]))
    }
    const learned = new Map([...codes].map(([id, of]): [string, CodesOfCar] => [id, { is: 'known', value: [...of] }]))
    // Of more codes than are read at once, those of a car may be among the rest.
    const others = data.isCut ? AWAITED : NONE
    return { of: vehicleId => learned.get(vehicleId) ?? others }
  }, [isAllowed, data])
}
