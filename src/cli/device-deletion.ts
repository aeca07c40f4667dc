import type { Command } from 'commander'
import { deleteDevice } from '../derive/out-of-order/delete-device.ts'
import { readKnownImei } from '../fleet/provisioning/entry-values.ts'
import { listDevices } from '../fleet/provisioning/list-devices.ts'
import { OperatorError } from '../model/errors.ts'
import type { DeviceId } from '../model/sample.ts'
import { onServiceDatabase } from '../server/database.ts'
import { parsedBy } from './arguments.ts'

/** `tacho device delete`: deletes a dongle, its car and everything it measured. */
export function registerDeletion(device: Command): void {
  device
    .command('delete')
    .description('erase a dongle, its car and everything that it measured')
    .argument('<imei>', 'its IMEI', parsedBy(readKnownImei))
    .option('--yes', 'do it: it can not be undone')
    .action(erase)
}

async function erase(imei: DeviceId, { yes }: { readonly yes?: true }): Promise<void> {
  const unknown = new OperatorError(`There is no dongle ${imei}.`)
  if (!yes) {
    const found = await onServiceDatabase(database =>
      listDevices(database, { account: undefined, search: String(imei) }),
    )
    const device = found.find(item => item.imei === imei)
    if (!device) throw unknown
    throw new OperatorError(
      `The dongle ${imei} of ${device.account} in ${device.vehicleId}, its car, its trips and everything that it measured ` +
        'would be erased for good: give --yes to do it.',
    )
  }
  const outcome = await onServiceDatabase(database => deleteDevice(database, { deviceId: imei }))
  if (outcome.kind === 'unknown') throw unknown
  if (outcome.kind === 'refused') throw new OperatorError(`The dongle ${imei} ${outcome.text}.`)
  const cars = outcome.cars.length === 0 ? 'no car' : outcome.cars.join(', ')
  console.error(`The dongle ${imei} is gone, with ${cars} and ${outcome.trips} trips.`)
}
