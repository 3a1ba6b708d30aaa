import { useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { NoteItem } from "../dialogs/note-item";
import { AddNote } from "../dialogs/notes-dialog";
import { notesPagesQuery } from "./queries";
import { PagedList } from "./record-list";
import { visitNotes } from "./visits";

export function NotesTab({ equipmentId, readOnly }: { equipmentId: string; readOnly: boolean }) {
  const { t } = useTranslation();
  const pages = useInfiniteQuery(notesPagesQuery(useTransport(), equipmentId));
  const regular = t("equipment-detail.tasks.regular");
  const notes =
    pages.data &&
    visitNotes(
      pages.data.pages.flatMap((page) => page.notes),
      regular,
    );
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
          failed={t("equipment-dialogs.notes.loadFailed")}
          empty={
            <Empty
              drawing="notes"
              title={t("equipment-detail.notes.empty")}
              description={readOnly ? undefined : t("equipment-detail.notes.emptyText")}
            />
          }
        >
          <ul aria-label={t("equipment-dialogs.notes.title")} className="divide-y divide-line">
            {notes?.map((note) => (
              <NoteItem key={note.id} note={note} className="px-4 py-3.5 md:px-5" />
            ))}
          </ul>
        </PagedList>
      </Card>
    </div>
  );
}
