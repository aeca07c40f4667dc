import { expect, test } from 'vitest'
import { makeTemporaryFolder, query, startServer } from '../../../test/embedded-folder.ts'
import { placeDatabase } from '../../../test/serve-process.ts'
import { findRunningServer } from './running-server.ts'

test('the server that runs on a folder is found, and only while it runs', async () => {
  const folder = await makeTemporaryFolder()
  expect(await findRunningServer(folder, false)).toBeUndefined()
  const server = await startServer({ folder: placeDatabase(folder) })
  const url = (await findRunningServer(folder, false))?.url
  expect(url).toBe(server.url)
  expect(await query(url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
  await server.stop()
  expect(await findRunningServer(folder, false)).toBeUndefined()
})
