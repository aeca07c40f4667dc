import { expect, test } from 'vitest'
import { dataFolderFor, standardDataFolder } from './data-folder.ts'

const INSTALLED = {
  programFolder: '/usr/local/lib/node_modules/tacho',
  uid: 1000,
  serviceFolderUid: undefined,
  home: '/home/ann',
  dataHome: undefined,
  platform: 'linux',
} as const

test('in a checkout the data is beside the program', () => {
  expect(standardDataFolder(undefined)).toBe('./data')
  expect(dataFolderFor({ ...INSTALLED, programFolder: '/srv/tacho', uid: 0 })).toBe('./data')
})

test('where npm installed the program, each user has one place, whatever folder a command is typed in', () => {
  expect(dataFolderFor(INSTALLED)).toBe('/home/ann/.local/share/tacho')
  expect(dataFolderFor({ ...INSTALLED, dataHome: '/home/ann/kept' })).toBe('/home/ann/kept/tacho')
  expect(dataFolderFor({ ...INSTALLED, dataHome: 'kept' })).toBe('/home/ann/.local/share/tacho')
  expect(dataFolderFor({ ...INSTALLED, platform: 'darwin', home: '/Users/ann' })).toBe(
    '/Users/ann/Library/Application Support/tacho',
  )
})

test('root, and the user to whom it belongs, use the folder of system services', () => {
  expect(dataFolderFor({ ...INSTALLED, uid: 0 })).toBe('/var/lib/tacho')
  expect(dataFolderFor({ ...INSTALLED, uid: 990, serviceFolderUid: 990 })).toBe('/var/lib/tacho')
  expect(dataFolderFor({ ...INSTALLED, serviceFolderUid: 990 })).toBe('/home/ann/.local/share/tacho')
})
