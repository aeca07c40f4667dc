import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import type { Incident } from '../api/types.ts'
import { formatDateTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { ErrorAlert } from '../states/error-state.tsx'
import { AcknowledgeDialog } from './acknowledge-dialog.tsx'
import { useAcknowledge } from './use-acknowledge.ts'

interface AcknowledgedCardProps {
  readonly incident: Incident
  /** What happened to whom. */
  readonly title: string
}

/** Who has acknowledged an incident, with what note; or the button to do so. */
export function AcknowledgedCard({ incident, title }: AcknowledgedCardProps) {
  const texts = useTexts('incidents')
  const language = useLanguage()
  const [isOpen, setOpen] = useState(false)
  const takeBack = useAcknowledge(incident.id)
  const { acknowledged } = incident
  return (
    <Card withBorder component="section" aria-label={texts.seen}>
      <Stack gap="xs">
        <Title order={2} fz="h4">
          {texts.seen}
        </Title>
        {acknowledged ? (
          <>
            <Text>{texts.seenBy(acknowledged.by, formatDateTime(Date.parse(acknowledged.timestamp), language))}</Text>
            {acknowledged.note !== '' && (
              <Text fz="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {acknowledged.note}
              </Text>
            )}
            <ErrorAlert error={takeBack.error} />
            <Group gap="xs">
              <Button variant="default" onClick={() => setOpen(true)}>
                {texts.changeNote}
              </Button>
              <Button variant="subtle" loading={takeBack.isPending} onClick={() => takeBack.mutate(undefined)}>
                {texts.takeBack}
              </Button>
            </Group>
          </>
        ) : (
          <>
            <Text c="dimmed">{texts.notSeen}</Text>
            <Group>
              <Button leftSection={<IconCheck size={16} aria-hidden />} onClick={() => setOpen(true)}>
                {texts.acknowledge}
              </Button>
            </Group>
          </>
        )}
      </Stack>
      {isOpen && <AcknowledgeDialog incident={incident} title={title} onClose={() => setOpen(false)} />}
    </Card>
  )
}
