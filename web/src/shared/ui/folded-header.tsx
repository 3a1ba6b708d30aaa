import { clsx } from "clsx";
import { EllipsisVertical } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";
import { PageHeader, type PageHeaderProps } from "./page-header";

/** A page header with further actions, which phones show after a press. */
export function FoldedHeader({
  secondary,
  actions,
  ...header
}: Omit<PageHeaderProps, "beside" | "folded"> & { secondary: ReactNode }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <PageHeader
      {...header}
      beside={
        <Button
          icon
          aria-label={t("shell.moreActions")}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="no-print self-start md:hidden"
        >
          <EllipsisVertical aria-hidden className="size-5" />
        </Button>
      }
      folded={!open && actions == null}
      actions={
        <>
          <div className={clsx("flex flex-wrap gap-2 max-md:[&>*]:grow", !open && "max-md:hidden")}>
            {secondary}
          </div>
          {actions}
        </>
      }
    />
  );
}
