import { Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/request.ts'
import type { Incident } from '../api/types.ts'
import { FormDialog } from '../dialog/dialog.tsx'
import { formatDateTime, formatNumber, useTexts } from '../language/language.ts'
import { type SyncedList, withChanges } from '../live/synced-list.ts'
import { ErrorAlert, Part } from '../page/page.tsx'
import { showToast } from '../shell/toast.tsx'
import { isUnseen } from './incident.ts'
import { incidentQuery } from './incidents-query.ts'

interface AcknowledgeDialogProps {
  /** One, whose note may be changed, or several. */
  readonly incidents: readonly Incident[]
  /** What happened to whom, or how many there are. */
  readonly title: string
  readonly onClose: () => void
  readonly onDone?: () => void
}

/** Says that the person has seen incidents, with a note if there is something to say. */
export function AcknowledgeDialog({ incidents, title, onClose, onDone }: AcknowledgeDialogProps) {
  const texts = useTexts('incidents')
  const acknowledge = useAcknowledge()
  const form = useForm({ initialValues: { note: incidents[0]?.acknowledged?.note ?? '' } })
  return (
    <FormDialog
      title={title}
      action={texts.acknowledge}
      isUnsaved={form.isDirty()}
      onSave={() => acknowledge.mutateAsync({ incidents, note: form.values.note.trim() })}
      onDone={() => {
        onClose()
        onDone?.()
      }}
      onClose={onClose}
    >
      <TextInput
        label={texts.note}
        description={texts.noteHint}
        maxLength={1000}
        data-autofocus
        {...form.getInputProps('note')}
      />
    </FormDialog>
  )
}

interface AcknowledgeButtonProps {
  readonly title: string
  readonly carName: string
  readonly loading?: boolean
  readonly onClick: () => void
}

/** In a row: opens the dialog, or acknowledges at once. */
export function AcknowledgeButton({ title, carName, ...button }: AcknowledgeButtonProps) {
  const texts = useTexts('incidents')
  return (
    <Button
      size="compact-sm"
      variant="light"
      miw="max-content"
      aria-label={texts.acknowledgeOf(title, carName)}
      {...button}
    >
      {texts.acknowledgeRow}
    </Button>
  )
}

/** Who has acknowledged an incident, with what note; or the button to do so. @param title what happened to whom */
export function AcknowledgedCard({ incident, title }: { readonly incident: Incident; readonly title: string }) {
  const texts = useTexts('incidents')
  const [isOpen, setOpen] = useState(false)
  const show = useShowChanged()
  const takeBack = useMutation({
    mutationFn: () =>
      ask('DELETE /cc/v2.0/incidents/{incidentId}/acknowledgement', { path: { incidentId: incident.id } }),
    onSuccess: changed => show([changed]),
  })
  const { acknowledged } = incident
  return (
    <Part title={texts.seen}>
      {acknowledged ? (
        <>
          <Text>{texts.seenBy(acknowledged.by, formatDateTime(Date.parse(acknowledged.timestamp)))}</Text>
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
            <Button variant="subtle" loading={takeBack.isPending} onClick={() => takeBack.mutate()}>
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
      {isOpen && <AcknowledgeDialog incidents={[incident]} title={title} onClose={() => setOpen(false)} />}
    </Part>
  )
}

/** `POST /incidents/acknowledgements` takes no more. */
const MOST_AT_ONCE = 10_000

/** Acknowledges what nobody has acknowledged yet, and says so with the way back; of one that somebody has, the note is changed. */
export function useAcknowledge() {
  const texts = useTexts('incidents')
  const show = useShowChanged()
  const takeBack = async (done: readonly Incident[]) => {
    const acknowledgedTimestamp = done[0]?.acknowledged?.timestamp ?? ''
    const body = { incidentIds: done.map(({ id }) => id), acknowledgedTimestamp }
    show((await ask('POST /cc/v2.0/incidents/acknowledgements/withdrawal', { body })).incidents)
  }
  return useMutation({
    mutationFn: async ({ incidents, note }: { readonly incidents: readonly Incident[]; readonly note: string }) => {
      const [one] = incidents
      if (incidents.length === 1 && one?.acknowledged) {
        const path = { incidentId: one.id }
        show([await ask('POST /cc/v2.0/incidents/{incidentId}/acknowledgement', { path, body: { note } })])
        return undefined
      }
      const incidentIds = incidents.filter(isUnseen).map(({ id }) => id)
      const body = { incidentIds: incidentIds.slice(0, MOST_AT_ONCE), note }
      const { incidents: done } = await ask('POST /cc/v2.0/incidents/acknowledgements', { body })
      show(done)
      return done
    },
    onSuccess: done => {
      if (!done) return
      if (done.length === 0) return showToast({ message: texts.acknowledgedBefore })
      const failed = () => showToast({ message: texts.undoFailed })
      showToast({
        message: texts.acknowledgedCount(done.length, formatNumber(done.length)),
        action: { label: texts.undo, onAction: () => void takeBack(done).catch(failed) },
      })
    },
  })
}

/** Shows changed incidents at once wherever they are shown. */
function useShowChanged() {
  const client = useQueryClient()
  return (changed: readonly Incident[]) => {
    for (const incident of changed) client.setQueryData(incidentQuery(incident.id).queryKey, known => known && incident)
    client.setQueriesData<SyncedList<Incident>>(
      { queryKey: ['incidents', 'list'] },
      known => known && withChanges(known, changed, known.modifyTimestamp),
    )
    void client.invalidateQueries({ queryKey: ['incidents', 'unseen'] })
  }
}
