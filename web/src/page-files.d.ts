declare module "virtual:page-files" {
  import type { PageFiles } from "#/app/service-worker/rules";

  /** Names of the files in the build that each page needs, see `build/page-files.ts`. */
  export const pageFiles: PageFiles;
}
