import { CloseButton, Code, Group, Paper, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'

/** Tells those who can change it that there is a better map to be had, until they have read it. */
export function OnlyOutlinesNote() {
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
      maw={340}
      p={6}
      pl="sm"
      shadow="sm"
      visibleFrom="sm"
      role="note"
    >
      <Group gap="xs" wrap="nowrap" align="start" justify="space-between">
        <Text size="sm">
          {texts.onlyOutlines} {texts.howToGetStreets} <Code>tacho map</Code>
        </Text>
        <CloseButton size="sm" aria-label={texts.hide} onClick={() => setRead(true)} />
      </Group>
    </Paper>
  )
}
