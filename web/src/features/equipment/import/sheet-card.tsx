import { clsx } from "clsx";
import { Download, FileSpreadsheet } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { FieldFrame, inputClass, useFieldAria } from "#/shared/form/field-frame";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { decodeFile, maxSize } from "./read-sheet";
import { downloadTemplate } from "./template";

/** Pasted cells, or the text of a file. */
export function SheetCard({
  text,
  error,
  locked,
  onText,
}: {
  text: string;
  /** What is wrong with the text. */
  error: string | undefined;
  /** While rows are being added. */
  locked: boolean;
  onText: (text: string) => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const [refused, setRefused] = useState<string>();
  const [over, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const hint = t("equipment-import.sheet.hint");
  const shownError = refused ?? error;
  const aria = useFieldAria(hint, shownError);
  const take = (given: string | null) => {
    if (locked) return;
    const isTooLarge = given !== null && given.length > maxSize;
    setRefused(
      given === null
        ? t("equipment-import.errors.noText")
        : isTooLarge
          ? t("equipment-import.errors.tooLarge")
          : undefined,
    );
    if (given !== null && !isTooLarge) onText(given);
  };
  const takeFile = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > maxSize) {
      setRefused(t("equipment-import.errors.tooLarge"));
      return;
    }
    try {
      take(decodeFile(new Uint8Array(await file.arrayBuffer())));
    } catch {
      setRefused(t("equipment-import.errors.unreadable"));
    }
  };
  return (
    <Card
      title={t("equipment-import.sheet.title")}
      actions={
        <Button size="small" onClick={() => downloadTemplate(t, labels)}>
          <Download aria-hidden className="size-4" />
          {t("equipment-import.sheet.template")}
        </Button>
      }
    >
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void takeFile(event.dataTransfer.files[0]);
        }}
      >
        <FieldFrame
          id={aria.id}
          label={t("equipment-import.sheet.label")}
          hint={hint}
          error={shownError}
        >
          <textarea
            {...aria}
            rows={6}
            wrap="off"
            value={text}
            readOnly={locked}
            placeholder={t("equipment-import.sheet.placeholder")}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => take(event.target.value)}
            onPaste={(event) => {
              // A pasted sheet replaces the last one.
              event.preventDefault();
              take(event.clipboardData.getData("text/plain"));
            }}
            className={clsx(
              inputClass,
              "py-2.5 font-mono text-sm",
              over && "border-accent bg-accent-soft",
            )}
          />
        </FieldFrame>
      </div>
      <div className="mt-3 flex flex-wrap gap-2 max-md:[&>button]:grow">
        <input
          ref={picker}
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
          hidden
          onChange={({ target }) => {
            void takeFile(target.files?.[0]);
            // So that the same file can be chosen again after a change.
            target.value = "";
          }}
        />
        <Button onClick={() => !locked && picker.current?.click()}>
          <FileSpreadsheet aria-hidden className="size-4" />
          {t("equipment-import.sheet.file")}
        </Button>
        {text && (
          <Button variant="quiet" onClick={() => take("")}>
            {t("equipment-import.sheet.clear")}
          </Button>
        )}
      </div>
    </Card>
  );
}
