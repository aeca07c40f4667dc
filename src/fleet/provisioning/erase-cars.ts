import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { HeldVins } from '../../derive/assignments/rows/locked-vins.ts'
import { UNSET } from '../../derive/assignments/rows/operators-word.ts'
import { forgetFormerId, keepFormerId } from '../../derive/assignments/rows/public-ids.ts'
import { leaveDeletedTo } from '../../derive/assignments/rows/retire.ts'
import { leaveIncidentsTo } from '../../derive/incidents/write-incidents.ts'
import type { DeviceId } from '../../model/sample.ts'

interface CarsOfOneDongle {
  readonly deviceId: DeviceId
  readonly accountId: number
  /** In which no other dongle ever was. */
  readonly vehicleIds: readonly number[]
}

interface Car {
  readonly id: number
  readonly public_id: string
}

/**
 * Erases cars with their dongle. One row is left, `IMEI_…`, marked as deleted: to it lead the ids of all of them, and what is
 * left of their trips. The caller has deleted the dongle and everything that it measured.
 * @returns the public ids that the cars had
 */
export async function eraseCars(
  held: HeldVins,
  { deviceId, accountId, vehicleIds }: CarsOfOneDongle,
): Promise<readonly string[]> {
  const transaction = held.transactionFor(accountId)
  const cars = await transaction.rows<Car>(sql`
    select id, public_id from vehicles where id = any(${vehicleIds}::bigint[]) order by id`)
  const placeholderId = `IMEI_${deviceId}`
  const [placeholder] = await transaction.rows<Car>(sql`
    select id, public_id from vehicles where account_id = ${accountId} and public_id = ${placeholderId}`)
  // Another dongle may be in the car that has the id of this one.
  const rest = placeholder ?? cars[0]
  if (!rest) return []
  for (const car of cars) if (car.id !== rest.id) await putInto(transaction, car, { accountId, vehicleId: rest.id })
  if (cars.some(car => car.id === rest.id)) await emptyCar(transaction, rest, { deviceId, accountId })
  return cars.map(car => car.public_id)
}

async function putInto(
  transaction: Transaction,
  car: Car,
  rest: { readonly accountId: number; readonly vehicleId: number },
): Promise<void> {
  await transaction.rows(sql`update former_vehicle_ids set vehicle_id = ${rest.vehicleId} where vehicle_id = ${car.id}`)
  await leaveDeletedTo(transaction, sql`trips`, car.id, rest.vehicleId)
  await leaveDeletedTo(transaction, sql`dtcs`, car.id, rest.vehicleId)
  await leaveIncidentsTo(transaction, { accountId: rest.accountId, vehicleId: car.id, successorId: rest.vehicleId })
  await transaction.rows(sql`delete from vehicles where id = ${car.id}`)
  await keepFormerId(transaction, rest, car.public_id, false)
}

async function emptyCar(
  transaction: Transaction,
  car: Car,
  { deviceId, accountId }: Omit<CarsOfOneDongle, 'vehicleIds'>,
): Promise<void> {
  await forgetFormerId(transaction, accountId, `IMEI_${deviceId}`)
  await transaction.rows(sql`
    update vehicles set ${UNSET} where id = ${car.id}`)
  await transaction.rows(sql`
    update vehicles set first_device_id = ${deviceId}, vin = null, vin_by_operator = false, fuel_type = '',
      deleted = clock_timestamp(), modified = ${await transaction.takeRevisions(1)}::timestamptz
    where id = ${car.id}`)
  if (car.public_id !== `IMEI_${deviceId}`)
    await keepFormerId(transaction, { accountId, vehicleId: car.id }, car.public_id, false)
}
