import { Button, Radio, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/request.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { useTexts } from '../language/language.ts'
import { ErrorAlert } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { MapNote } from './lazy-map.tsx'

const CHOICES = ['openfreemap', 'openstreetmap', 'file', 'none'] as const

/** Which map everybody sees, chosen by administrators; says who decides where they do not. */
export function MapChoice() {
  const texts = useTexts('baseMap')
  const { data } = useQuery({ queryKey: ['base-map'], queryFn: ({ signal }) => ask('GET /admin/map', { signal }) })
  const [wanted, setWanted] = useState<(typeof CHOICES)[number]>()
  const chosen = wanted ?? data?.choice ?? 'openfreemap'
  const saved = useMutation({
    mutationFn: async () => {
      await ask('PUT /admin/map', { body: { choice: chosen } })
      // Which servers a page may ask was said when it was loaded.
      window.location.reload()
    },
  })
  if (!data) return null
  if (!data.mayChoose)
    return <Text size="sm">{data.fixedBy === null ? texts.othersChoose : texts.fixedBy(data.fixedBy)}</Text>
  return (
    <Stack gap="sm" align="start">
      <Radio.Group
        aria-label={texts.whichMap}
        value={chosen}
        onChange={value => setWanted(CHOICES.find(known => known === value))}
      >
        <Stack gap="sm">
          {CHOICES.map(value => (
            <Radio key={value} value={value} {...texts.choices[value]} />
          ))}
        </Stack>
      </Radio.Group>
      <ErrorAlert error={saved.error} />
      <Button loading={saved.isPending || saved.isSuccess} onClick={() => saved.mutate()}>
        {texts.showThis}
      </Button>
    </Stack>
  )
}

/** Asks those who may choose, on the map itself, until they have answered or do not want to be asked in this browser. */
export function MapQuestion() {
  const texts = useTexts('baseMap')
  const mayAdminister = useMay('administration')
  const [isOpen, setOpen] = useState(false)
  const [isRead, setRead] = useLocalStorage({
    key: 'tacho.map-note-read',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  if (!mayAdminister || isRead) return null
  return (
    <MapNote
      text={texts.onlyOutlines}
      role="note"
      top={{ base: 8, sm: 'auto' }}
      bottom={{ sm: 36 }}
      maw={340}
      onHide={() => setRead(true)}
    >
      <Button size="compact-sm" variant="light" mt={6} onClick={() => setOpen(true)}>
        {texts.chooseMap}
      </Button>
      {isOpen && (
        <Dialog title={texts.whichMap} onClose={() => setOpen(false)}>
          <MapChoice />
        </Dialog>
      )}
    </MapNote>
  )
}
