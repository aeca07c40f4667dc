import { Group, NativeSelect, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { ask } from '../api/request.ts'
import type { Area } from '../api/types.ts'
import { FormButtons } from '../dialog/dialog.tsx'
import { useTexts } from '../language/language.ts'
import { bodyOf, type Draft, hasNewShape } from './draft.ts'
import type { ShapeType } from './shape.ts'
import { ShapeFields } from './shape-fields.tsx'

const TYPES: readonly ShapeType[] = ['polygon', 'circle', 'corridor']

interface AreaFormProps {
  readonly draft: Draft
  /** As it is stored, of one that is changed. */
  readonly area: Area | undefined
  readonly onDraft: (change: Partial<Draft>) => void
  readonly onType: (type: ShapeType) => void
  readonly onSaved: (area: Area) => void
  readonly onCancel: () => void
}

/** Name, kind, colour and shape of an area. */
export function AreaForm({ draft, area, onDraft, onType, onSaved, onCancel }: AreaFormProps) {
  const texts = useTexts('area')
  const body = bodyOf(draft, area)
  const saved = useMutation({
    mutationFn: async () => {
      if (!body) return
      const reply =
        draft.id === undefined
          ? await ask('POST /cc/v2.0/areas', { body })
          : await ask('PUT /cc/v2.0/areas/{areaId}', { path: { areaId: draft.id }, body })
      onSaved(reply)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saved.mutate()
  }
  return (
    <form onSubmit={submit} aria-label={draft.name || texts.draw}>
      <Stack gap="sm" p="md">
        <Title order={2} fz="h4">
          {area?.name ?? texts.draw}
        </Title>
        {draft.id === undefined && (
          <SegmentedControl
            aria-label={texts.shape}
            value={draft.type}
            onChange={onType}
            data={TYPES.map(value => ({ value, label: texts.shapes[value] }))}
          />
        )}
        <Text fz="sm" c="dimmed" role="status">
          {draft.shape ? texts.changeHint : texts.drawHints[draft.type]}
        </Text>
        <TextInput
          label={texts.name}
          required
          maxLength={200}
          autoComplete="off"
          value={draft.name}
          onChange={event => onDraft({ name: event.currentTarget.value })}
        />
        <Group grow gap="xs" align="flex-end">
          <NativeSelect
            label={texts.kind}
            value={draft.kind}
            data={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))}
            onChange={event => {
              const kind = (Object.keys(texts.kinds) as Area['kind'][]).find(each => each === event.currentTarget.value)
              if (kind) onDraft({ kind })
            }}
          />
          <TextInput
            label={texts.color}
            type="color"
            value={draft.color}
            onChange={event => onDraft({ color: event.currentTarget.value })}
          />
        </Group>
        <ShapeFields
          key={`${draft.type} ${draft.mapChanges}`}
          type={draft.type}
          shape={draft.shape}
          onShape={shape => onDraft({ shape })}
        />
        {hasNewShape(draft, area) && (
          <Stack gap={4}>
            <Text fz="sm" fw={500}>
              {texts.validFrom}
            </Text>
            <SegmentedControl
              aria-label={texts.validFrom}
              value={draft.isForPast ? 'always' : 'fromNow'}
              onChange={value => onDraft({ isForPast: value === 'always' })}
              data={[
                { value: 'fromNow', label: texts.fromNow },
                { value: 'always', label: texts.always },
              ]}
            />
            {!draft.isForPast && (
              <Text fz="xs" c="dimmed">
                {texts.validFromHint}
              </Text>
            )}
          </Stack>
        )}
        <FormButtons error={saved.error} isPending={saved.isPending} onCancel={onCancel} isDisabled={!body} />
      </Stack>
    </form>
  )
}
