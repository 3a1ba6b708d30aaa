import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { NotebookPen } from "lucide-react";
import { useTranslation } from "react-i18next";
import { NoteType, type Note } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useRecordText } from "#/domain/use-record-text";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { AddNote } from "../notes-dialog";
import { notesPagesQuery } from "./queries";
import { PagedList } from "./record-list";
import { VoidedLine } from "./voided-line";

/** Notes, newest first, and where a new one is written. */
export function NotesTab({ equipmentId, readOnly }: { equipmentId: string; readOnly: boolean }) {
  const { t } = useTranslation();
  const pages = useInfiniteQuery(notesPagesQuery(useTransport(), equipmentId));
  const notes = pages.data?.pages.flatMap((page) => page.notes);
  return (
    <div className={clsx(!readOnly && "grid items-start gap-5 lg:grid-cols-[1fr_24rem]")}>
      {!readOnly && (
        <Card className="lg:order-2">
          <AddNote equipmentId={equipmentId} />
        </Card>
      )}
      <Card flush>
        <PagedList
          pages={pages}
          count={notes?.length}
          failed={t("equipment.notes.loadFailed")}
          empty={
            <Empty
              icon={<NotebookPen aria-hidden />}
              title={t("equipment-detail.notes.empty")}
              description={readOnly ? undefined : t("equipment-detail.notes.emptyText")}
            />
          }
        >
          <ul aria-label={t("equipment.notes.title")} className="divide-y divide-line">
            {notes?.map((note) => (
              <NoteItem key={note.id} note={note} />
            ))}
          </ul>
        </PagedList>
      </Card>
    </div>
  );
}

export function NoteItem({ note }: { note: Note }) {
  const { t } = useTranslation();
  const format = useFormat();
  const record = useRecordText();
  const isService = note.type === NoteType.MAINTENANCE;
  return (
    <li className="px-4 py-3.5 md:px-5">
      <p className={clsx("whitespace-pre-wrap", note.voiding && "text-muted line-through")}>
        {isService ? record.service(note.content) : note.content}
      </p>
      {note.voiding && <VoidedLine voiding={note.voiding} />}
      <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
        {isService && <Badge>{t("equipment.notes.maintenance")}</Badge>}
        {note.type === NoteType.USAGE_UPDATE && <Badge>{t("equipment.notes.usageUpdate")}</Badge>}
        {note.voiding && <Badge>{t("equipment-detail.void.badge")}</Badge>}
        <span>
          {note.authorName}
          {note.createdAt && ` · ${format.instant(timestampDate(note.createdAt))}`}
        </span>
      </p>
    </li>
  );
}
