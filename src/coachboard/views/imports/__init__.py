"""The sections of the import page, in the order of the page."""

from coachboard.views.imports.deleted import draw_deleted
from coachboard.views.imports.opened import draw_opened
from coachboard.views.imports.upload import draw_earlier, draw_upload, open_imports

__all__ = ["draw_deleted", "draw_earlier", "draw_opened", "draw_upload", "open_imports"]
