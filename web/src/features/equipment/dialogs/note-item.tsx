import { timestampDate } from "@bufbuild/protobuf/wkt";
import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import { NoteType, type Note } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useRecordText } from "#/shared/words/use-record-text";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { VoidedLine } from "../detail/voided-line";

export function NoteItem({ note, className }: { note: Note; className: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const record = useRecordText();
  const isService = note.type === NoteType.MAINTENANCE;
  return (
    <li className={className}>
      <p
        className={clsx(
          "wrap-anywhere whitespace-pre-wrap",
          note.voiding && "text-muted line-through",
        )}
      >
        {isService ? record.service(note.content, note.reportedBy) : record.update(note.content)}
      </p>
      {note.voiding && <VoidedLine voiding={note.voiding} />}
      <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
        {isService && <Badge>{t("equipment-dialogs.notes.maintenance")}</Badge>}
        {note.type === NoteType.USAGE_UPDATE && (
          <Badge>{t("equipment-dialogs.notes.usageUpdate")}</Badge>
        )}
        {note.voiding?.replacedBy === "" && <Badge>{t("equipment-detail.void.badge")}</Badge>}
        {note.taskName && <span className="font-semibold">{note.taskName}</span>}
        <span>
          {note.authorName}
          {note.createdAt && ` · ${format.instant(timestampDate(note.createdAt))}`}
        </span>
      </p>
    </li>
  );
}
