import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { extractMap } from '../geo/map-extract.ts'
import { MapFile } from '../geo/map-file.ts'
import type { PlaceBox } from '../geo/place-file.ts'
import { SETTINGS } from '../settings.ts'
import { interruptibly, parsedBy, progressBar } from './terminal.ts'

const OUTLINES =
  'what every Tacho brings along: countries, rivers and lakes (Natural Earth), and names of places (GeoNames). It has no streets.'

const HOW_TO_GET_ONE = `
Streets and house numbers of your region come from OpenStreetMap, in one file. The corners are west, south, east and
north in degrees, here those of Germany:

  tacho map get 5.8,47.2,15.1,55.1 --to region.pmtiles

Where this server has no internet, do that on another machine, and bring the file. Then set ${SETTINGS.mapFile.name} to its path, and
start Tacho again.`

const BUILDS = 'https://build.protomaps.com/YYYYMMDD.pmtiles'

export function registerMap(program: Command): void {
  const command = program
    .command('map')
    .description('say what map the console shows, and how to add the streets of a region')
    .argument('[file]', 'a map to look at, instead of the one that is set')
    .action(async (file: string | undefined) => {
      if (file !== undefined) {
        console.log(await describe(file, 'The file'))
        return
      }
      const { mapStyleUrl, mapSource, mapFile } = readConfig()
      const others = mapStyleUrl ?? mapSource
      if (others !== undefined && others !== 'none') {
        console.log(
          `The console shows the map of another server (${SETTINGS[mapStyleUrl ? 'mapStyleUrl' : 'mapSource'].name}): ${others}\n\n` +
            `While that cannot be reached, it shows ${mapFile === undefined ? OUTLINES : `the map of ${mapFile}.`}`,
        )
        return
      }
      if (mapFile !== undefined) console.log(await describe(mapFile, SETTINGS.mapFile.name))
      else console.log(`Without a choice in its administration, the console shows ${OUTLINES}\n${HOW_TO_GET_ONE}`)
    })
  command
    .command('get')
    .description('fetch the streets of a region into a file; after an interruption, the same command goes on')
    .argument('<west,south,east,north>', 'corners of the region in degrees', parsedBy(readBox))
    .option('--maxzoom <zoom>', 'leave out what is finer: 14 has all streets, 15 all buildings', parsedBy(readZoom), 15)
    .option('--from <url>', 'the map of Protomaps to cut it from; YYYYMMDD is the newest day there is', BUILDS)
    .option('--to <file>', `where to put it (default: that of ${SETTINGS.mapFile.name}, else region.pmtiles)`)
    // A corner in the west begins like an option.
    .allowUnknownOption()
    .action(async (box: PlaceBox, { maxzoom: maxZoom, from, to }: { maxzoom: number; from: string; to?: string }) => {
      const path = to ?? readConfig().mapFile ?? 'region.pmtiles'
      const bar = progressBar('{bar} {percentage}% | {value} of {total} MB | {eta_formatted} left')
      const onProgress = (bytes: number, ofBytes: number) => {
        bar?.setTotal(megabytes(ofBytes))
        bar?.update(megabytes(bytes))
      }
      bar?.start(0, 0)
      await interruptibly(({ signal }) => extractMap({ from, box, maxZoom, path, signal, onProgress })).finally(() =>
        bar?.stop(),
      )
      console.log(
        `${await describe(path, 'The file')}\n\nTacho shows it when ${SETTINGS.mapFile.name} is its path and it starts again.`,
      )
    })
}

/** @throws what is wrong, worded to follow "It" */
function readBox(text: string): PlaceBox {
  const corners = text.split(',').map(corner => (corner.trim() === '' ? Number.NaN : Number(corner)))
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN] = corners
  if (corners.length !== 4 || ![west / 180, east / 180, south / 90, north / 90].every(share => Math.abs(share) <= 1))
    throw new Error('must be west, south, east and north in degrees, such as 5.8,47.2,15.1,55.1')
  if (south >= north) throw new Error('is upside down: the second corner is the south, the fourth the north')
  if (west >= east) throw new Error('is the wrong way round: the first corner is the west, the third the east')
  return { west, south, east, north }
}

function readZoom(text: string): number {
  if (!/^\d{1,2}$/.test(text) || Number(text) > 15) throw new Error('must be a whole number from 0 to 15')
  return Number(text)
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1e6)

async function describe(path: string, name: string): Promise<string> {
  const map = await MapFile.open(path, name)
  const { bounds, minZoom, maxZoom, attribution, dataDate } = map.description
  await map.close()
  const { size } = await stat(path)
  const [west, south, east, north] = bounds.map(degrees => degrees.toFixed(4))
  return [
    `${path} is a map that the console can show.`,
    '',
    `  from    ${south}, ${west}  to  ${north}, ${east}  (latitude, longitude)`,
    `  zoom    ${minZoom} to ${maxZoom}${maxZoom < 14 ? ': too coarse for streets of towns, which need 14' : ''}`,
    `  size    ${(size / 1e6).toFixed(1)} MB`,
    ...(dataDate === '' ? [] : [`  as of   ${dataDate}`]),
    ...(attribution === '' ? [] : [`  data    ${attribution}`]),
  ].join('\n')
}
