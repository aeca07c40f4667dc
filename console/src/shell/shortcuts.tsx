import { Group, Kbd, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { Dialog } from '../dialog/dialog.tsx'
import { profile, useTexts } from '../language/language.ts'
import { Hint } from '../page/page.tsx'
import { usePages } from './navigation.tsx'

/** The second key comes within this time of the first. */
const PAUSE_MS = 1500

/** Where keys are for writing or choosing. */
const TAKES_KEYS = 'input, textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]'

/** On a Mac the other key is usual; both work. */
const CONTROL = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

/** Ctrl or Cmd and K open the palette, `?` the list of shortcuts, and two single keys lead to a page. */
export function useShortcuts(onPalette: () => void, onList: () => void): void {
  const navigate = useNavigate()
  const pages = usePages()
  const press = useEffectEvent((event: KeyboardEvent, isAfterG: boolean) => {
    const hasControl = event.ctrlKey || event.metaKey
    if (hasControl && !event.altKey && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      onPalette()
    }
    const isTaken = event.target instanceof Element && event.target.closest(TAKES_KEYS)
    if (hasControl || event.altKey || isTaken || !profile.get().hasShortcuts) return false
    if (event.key === '?') onList()
    const page = isAfterG ? pages.find(({ key }) => key === event.key) : undefined
    if (page) void navigate({ to: page.address })
    return event.key === 'g' && !page
  })
  useEffect(() => {
    let untilMs = 0
    const onKeyDown = (event: KeyboardEvent) => {
      untilMs = press(event, event.timeStamp < untilMs) ? event.timeStamp + PAUSE_MS : 0
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** All shortcuts. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts('palette')
  const shell = useTexts('shell')
  const pages = usePages()
  const rows = [
    { name: texts.open, keys: [CONTROL, 'K'] },
    { name: texts.shortcuts, keys: ['?'] },
    ...pages.map(({ name, key }) => ({ name: shell[name], keys: ['g', key] })),
  ]
  return (
    <Dialog title={texts.shortcuts} onClose={onClose}>
      <Stack component="dl" gap="xs" m={0}>
        {rows.map(row => (
          <Group key={row.name} justify="space-between" wrap="nowrap">
            <Text component="dt">{row.name}</Text>
            <Group component="dd" m={0} gap={4} wrap="nowrap">
              {row.keys.map(key => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
      <Hint mt="md">{texts.shortcutsHint}</Hint>
    </Dialog>
  )
}
