import { Button, CloseButton, Group, Paper, Radio, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/request.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { useTexts } from '../language/language.ts'
import { ErrorAlert } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'

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
  return (
    <Stack gap="sm">
      {data.mayChoose ? (
        <>
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
          <Button
            style={{ alignSelf: 'start' }}
            loading={saved.isPending || saved.isSuccess}
            onClick={() => saved.mutate()}
          >
            {texts.showThis}
          </Button>
        </>
      ) : (
        <Text size="sm">{data.fixedBy === null ? texts.othersChoose : texts.fixedBy(data.fixedBy)}</Text>
      )}
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
    <Paper
      pos="absolute"
      top={{ base: 8, sm: 'auto' }}
      bottom={{ sm: 36 }}
      left={8}
      right={92}
      maw={340}
      p={6}
      pl="sm"
      shadow="sm"
      role="note"
    >
      <Group gap="xs" wrap="nowrap" align="start" justify="space-between">
        <Text size="sm">{texts.onlyOutlines}</Text>
        <CloseButton size="sm" aria-label={texts.hide} onClick={() => setRead(true)} />
      </Group>
      <Button size="compact-sm" variant="light" mt={6} onClick={() => setOpen(true)}>
        {texts.chooseMap}
      </Button>
      {isOpen && (
        <Dialog title={texts.whichMap} onClose={() => setOpen(false)}>
          <MapChoice />
        </Dialog>
      )}
    </Paper>
  )
}
