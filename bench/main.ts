import { benchEventsList } from './events-list.ts'
import { benchIngest } from './ingest-http.ts'
import { meets, printResults } from './result.ts'
import { runService } from './running-service.ts'
import { benchStorage } from './storage.ts'
import { benchVehicle } from './vehicle-get.ts'

/* Every benchmark against one running service; each ratio is taken inside this run. */
const service = await runService()
try {
  const results = [
    await benchIngest(service),
    await benchStorage(service),
    await benchVehicle(service),
    ...(await benchEventsList(service)),
  ]
  printResults(results)
  process.exitCode = results.every(meets) ? 0 : 1
} finally {
  await service.stop()
}
