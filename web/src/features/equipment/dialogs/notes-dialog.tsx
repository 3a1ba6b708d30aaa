import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import {
  EquipmentService,
  NoteType,
  type Equipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { key } from "#/i18n/key";
import { FormPage } from "#/shared/form/form-page";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Dialog } from "#/shared/ui/dialog";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { NoteItem } from "./note-item";
import { visitNotes } from "../detail/visits";
import { useUndoEntries } from "./use-undo-changes";
import { notesQuery, useRefreshEquipment } from "../queries";

const noteSchema = v.object({
  content: v.pipe(
    v.string(),
    v.check((text) => text.trim() !== "", key("equipment-dialogs.notes.required")),
  ),
});

export function NotesDialog({ equipment, onClose }: { equipment: Equipment; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("equipment-dialogs.notes.title")}
      description={equipment.name}
    >
      <AddNote equipmentId={equipment.id} />
      <div className="mt-5 border-t border-line pt-4">
        <NoteList equipmentId={equipment.id} />
      </div>
    </Dialog>
  );
}

export function AddNote({ equipmentId }: { equipmentId: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const undo = useUndoEntries();
  const form = useAppForm(noteSchema, { content: "" });
  const add = useWrite(EquipmentService.method.addNote, {
    onSuccess: ({ note }) => {
      form.reset();
      toast.success(
        t("equipment-dialogs.notes.added"),
        t("equipment-dialogs.notes.addedText"),
        note && undo(equipmentId, [note.id]),
      );
      void refresh();
    },
    onError: () => toast.failure(t("equipment-dialogs.error"), t("equipment-dialogs.notes.failed")),
  });
  return (
    <FormPage
      onSubmit={form.handleSubmit(({ content }) =>
        add.mutate({ equipmentId, content: content.trim(), type: NoteType.NOTE }),
      )}
      loading={add.isPending}
      submitError={add.error && errorText(add.error, "equipment-dialogs.notes.failed")}
      toasted
      submitLabel={t("equipment-dialogs.notes.submit")}
      pendingLabel={t("equipment-dialogs.notes.pending")}
    >
      <TextAreaField
        control={form.control}
        name="content"
        label={t("equipment-dialogs.notes.content")}
      />
    </FormPage>
  );
}

function NoteList({ equipmentId }: { equipmentId: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const notes = useQuery(notesQuery(useTransport(), equipmentId));
  if (notes.isPending) return <SkeletonRows rows={3} label={t("common.loading")} />;
  if (!notes.data) {
    return (
      <ErrorPanel
        title={t("equipment-dialogs.notes.loadFailed")}
        reason={errorText(notes.error)}
        onRetry={() => void notes.refetch()}
        retrying={notes.isFetching}
      />
    );
  }
  if (notes.data.notes.length === 0) {
    return <p className="py-6 text-center text-muted">{t("equipment-dialogs.notes.empty")}</p>;
  }
  return (
    <ul aria-label={t("equipment-dialogs.notes.title")} className="divide-y divide-line">
      {visitNotes(notes.data.notes, t("equipment-detail.tasks.regular")).map((note) => (
        <NoteItem key={note.id} note={note} className="py-3 first:pt-0 last:pb-0" />
      ))}
    </ul>
  );
}
