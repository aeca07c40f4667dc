import { Button, CloseButton, Group, Paper, Radio, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { ask } from '../api/request.ts'
import { useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { ErrorAlert } from '../states/error-state.tsx'

const CHOICES = ['openfreemap', 'openstreetmap', 'file', 'none'] as const

/** Which map everybody sees, chosen by administrators; says who decides where they do not. */
export function MapChoice() {
  const texts = useTexts('baseMap')
  const label = useId()
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
    <Stack gap="xs" component="section" aria-labelledby={label}>
      <Text id={label} fw={600}>
        {texts.whichMap}
      </Text>
      {data.mayChoose ? (
        <>
          <Radio.Group
            aria-labelledby={label}
            value={chosen}
            onChange={value => setWanted(CHOICES.find(known => known === value))}
          >
            <Stack gap={6}>
              {CHOICES.map(value => (
                <Radio key={value} size="xs" value={value} {...texts.choices[value]} />
              ))}
            </Stack>
          </Radio.Group>
          <ErrorAlert error={saved.error} />
          <Button size="xs" loading={saved.isPending || saved.isSuccess} onClick={() => saved.mutate()}>
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
  const [isRead, setRead] = useLocalStorage({
    key: 'tacho.map-note-read',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  if (!mayAdminister || isRead) return null
  return (
    <Paper
      pos="absolute"
      bottom={36}
      left={8}
      right={8}
      maw={360}
      p="xs"
      pl="sm"
      shadow="sm"
      visibleFrom="sm"
      role="note"
    >
      <Group gap="xs" wrap="nowrap" align="start" justify="space-between">
        <Text size="sm">{texts.onlyOutlines}</Text>
        <CloseButton size="sm" aria-label={texts.hide} onClick={() => setRead(true)} />
      </Group>
      <MapChoice />
    </Paper>
  )
}
