# Manual pages and completions of the tools.

# commgauge_tool_pages(<program>)
#
# The manual page is what the program itself says. The completion asks the program each time.
# Neither can be older than its options.
function(commgauge_tool_pages program)
  if(COMMGAUGE_SMPI OR CMAKE_CROSSCOMPILING OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  string(TIMESTAMP date "%Y-%m-%d" UTC)  # SOURCE_DATE_EPOCH, where that is set
  set(page ${PROJECT_BINARY_DIR}/man1/${program}.1)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man1
    COMMAND $<TARGET_FILE:${program}> --manual ${date} > ${page}
    DEPENDS ${program} VERBATIM)
  add_custom_target(${program}-page ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

  set(completion ${PROJECT_BINARY_DIR}/completions/${program})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/completion.bash.in ${completion} @ONLY)
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endfunction()
