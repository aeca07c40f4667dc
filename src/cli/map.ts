import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { MapFile } from '../geo/map-file.ts'
import { SETTINGS } from '../settings.ts'

const OUTLINES =
  'what every Tacho brings along: countries, rivers and lakes (Natural Earth), and names of places (GeoNames). It has no streets.'

const HOW_TO_GET_ONE = `
Streets and house numbers of your region come from OpenStreetMap, in one file:

  1. On a machine with internet, get the program pmtiles: https://docs.protomaps.com/pmtiles/cli
  2. Choose a day of https://maps.protomaps.com/builds, and cut your region out of its map. The corners are west, south,
     east and north in degrees, here those of Germany; with --dry-run it only says how large the file becomes.

       pmtiles extract https://build.protomaps.com/YYYYMMDD.pmtiles region.pmtiles --bbox=5.8,47.2,15.1,55.1

  3. Bring the file to this server and look whether it is whole: tacho map region.pmtiles
  4. Set ${SETTINGS.mapFile.name} to its path, and start Tacho again.
`.trimEnd()

export function registerMap(program: Command): void {
  program
    .command('map')
    .description('say what map the console shows, and how to add the streets of a region')
    .argument('[file]', 'a map to look at, instead of the one that is set')
    .action(async (file: string | undefined) => {
      if (file !== undefined) {
        console.log(await describe(file, 'The file'))
        return
      }
      const { mapStyleUrl, mapFile } = readConfig()
      if (mapStyleUrl !== undefined) {
        console.log(
          `The console shows the map of another server (${SETTINGS.mapStyleUrl.name}): ${mapStyleUrl}\n\n` +
            `While that cannot be reached, it shows ${mapFile === undefined ? OUTLINES : `the map of ${mapFile}.`}`,
        )
        return
      }
      if (mapFile !== undefined) console.log(await describe(mapFile, SETTINGS.mapFile.name))
      else console.log(`The console shows ${OUTLINES}\n${HOW_TO_GET_ONE}`)
    })
}

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
