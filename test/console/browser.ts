import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packedChromium from '@sparticuz/chromium'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** What Playwright disables itself and this browser has: of two lists, a browser heeds the last. */
const PLAYWRIGHT_DISABLES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
]

/** WebGL in software, as no test machine has a graphics card; root may not use the sandbox. */
const ARGUMENTS = [
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--font-render-hinting=none',
  // What is not WebGL is drawn by the processor at once, not by the processor as if it were a graphics card.
  '--disable-gpu-compositing',
  // A page of a test is closed before code that was optimised early pays.
  '--js-flags=--no-maglev --invocation-count-for-turbofan=100000',
  // What is parsed beside the page while it loads is more than the page then runs.
  `--disable-features=${[...PLAYWRIGHT_DISABLES, 'ScriptStreaming'].join()}`,
  // Pages of one context share a process, and none is started for a page that may come.
  '--renderer-process-limit=1',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
]

/**
 * A real browser: the Chromium of this machine (`CHROMIUM`, or one in the PATH), else the one that comes inside an npm
 * package for Linux on x64.
 * @returns its program
 */
export async function findBrowser(): Promise<string> {
  return process.env.CHROMIUM ?? chromiumInPath() ?? unpackedChromium()
}

/** Of this process alone: it speaks to it without another one between them, and ends it when it ends itself. */
export function startBrowser(program: string): Promise<Browser> {
  return chromium.launch(optionsOf(program))
}

/**
 * Starts it once and stops it, as a server: `startBrowser` looks at the stack, for which vitest's main process fails to find the sources while it sets
 * up a project.
 * @throws with what it said when it cannot start here
 */
export async function tryBrowser(program: string): Promise<void> {
  const server = await chromium.launchServer(optionsOf(program))
  await server.close()
}

function optionsOf(executablePath: string): LaunchOptions {
  // Its own locale is the same on every machine; pages of tests are given another one.
  return { executablePath, args: ARGUMENTS, env: { ...process.env, LANG: 'C', LC_ALL: 'C' } }
}

function chromiumInPath(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => NAMES.map(name => join(folder, name)))
    .find(path => existsSync(path))
}

/** Beside the package, so it goes when the package does. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

/** Unpacks Chromium once for all runs: into a folder of its own first, so that none sees half of it. */
async function unpackedChromium(): Promise<string> {
  const folder = join(CACHE, 'chromium')
  const program = join(folder, 'chromium')
  if (existsSync(program)) return program
  await mkdir(CACHE, { recursive: true })
  const own = await mkdtemp(join(CACHE, 'chromium-'))
  const { TMPDIR } = process.env
  // The package unpacks to the folder for temporary files, whichever that is.
  process.env.TMPDIR = own
  try {
    await packedChromium.executablePath()
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
  await rename(own, folder).catch(() => rm(own, { recursive: true }))
  return program
}
